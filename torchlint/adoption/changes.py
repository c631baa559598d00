"""Which lines have changed since a commit, as git tells."""

from __future__ import annotations

import os
import re
import subprocess
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torchlint.errors import UsageError, in_words
from torchlint.finding import Span
from torchlint.shown import shown

# Nothing that the configuration of a repository names is run, and nothing of it changes what is read here.
_GIT = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
_DIFF = (
    "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--unified=0", "--inter-hunk-context=0", "--no-relative",
    "--src-prefix=a/", "--dst-prefix=b/", "--find-renames", "--ignore-submodules", "--diff-filter=d",
)  # fmt: skip
# With these, git tells its hooks where they are, whatever folder they ask about.
_OF_A_HOOK = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"})
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb'\\([0-7]{3}|["\\abtnvfr])')
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


@dataclass(frozen=True, slots=True)
class Changes:
    """The changed lines of a repository's files by their paths; what git knows nothing of has changed throughout."""

    lines: Mapping[str, tuple[range, ...]]
    known: frozenset[str]

    def touch(self, path: Path, span: Span) -> bool:
        """Tell whether a stretch of a file has a line that has changed."""
        name = os.path.realpath(path)
        if name not in self.known:
            return True
        changed = self.lines.get(name, ())
        index = bisect_right(changed, span.end_line, key=lambda lines: lines.start) - 1
        return index >= 0 and changed[index].stop > span.line


def changes_since(reference: str, folder: Path) -> Changes:
    """Return what has changed in the repository around a folder since its branch left that of a commit."""
    top = Path(os.fsdecode(_said(folder, "rev-parse", "--show-toplevel").removesuffix(b"\n")))
    base = _fork(reference, top)
    known = _said(top, "ls-files", "-z", "--recurse-submodules").split(b"\0")
    lines = _changed(_said(top, *_DIFF, base, "--"))
    return Changes(
        {_real(top, name): ranges for name, ranges in lines.items()},
        frozenset(_real(top, name) for name in known if name),
    )


def _fork(reference: str, top: Path) -> str:
    """Return the commit at which the branch that is checked out left that of a reference."""
    commit = (
        None
        if reference.startswith("-")
        else _answer(top, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}")
    )
    if commit is None:
        raise UsageError(f"git knows no commit `{reference}` in {shown(top)}: name one for --diff-base, or fetch it")
    if (fork := _answer(top, "merge-base", commit, "HEAD")) is None:
        raise UsageError(f"`{reference}` and what is checked out have no commit in common: fetch more of their history")
    return fork


def _answer(folder: Path, *words: str) -> str | None:
    """Return the line that git answers with, None where it has no answer."""
    done = _run(folder, *words)
    return done.stdout.decode().strip() if done.returncode == 0 else None


def _said(folder: Path, *words: str) -> bytes:
    done = _run(folder, *words)
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
        raise UsageError(f"--diff-base asks git, which says: {complaint}")
    return done.stdout


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
    environment |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        return subprocess.run([*_GIT, *words], cwd=folder, env=environment, capture_output=True, check=False)
    except FileNotFoundError:
        raise UsageError("--diff-base asks git, which is not on the PATH") from None
    except OSError as error:
        raise UsageError(f"--diff-base asks git, which cannot be run: {in_words(error)}") from error


def _changed(patch: bytes) -> dict[bytes, tuple[range, ...]]:
    """Return the lines that a patch without context adds or changes, by the names of their files."""
    changed: dict[bytes, list[range]] = {}
    name, left = b"", 0
    for line in patch.split(b"\n"):
        # What a hunk adds may look like the head of a file.
        if left and line[:1] == b"+":
            left -= 1
        elif line.startswith(b"+++ "):
            name = _unquoted(line.removeprefix(b"+++ ")).removeprefix(b"b/")
        elif hunk := _HUNK.match(line.decode("latin-1")):
            start, left = int(hunk[1]), int(hunk[2] or 1)
            if left:
                changed.setdefault(name, []).append(range(start, start + left))
    return {name: tuple(ranges) for name, ranges in changed.items()}


def _unquoted(name: bytes) -> bytes:
    """Return a name without the quotes and the escapes that git writes odd ones with."""
    name = name.removesuffix(b"\t")
    if not name.startswith(b'"'):
        return name
    return _ESCAPE.sub(lambda found: _character(found[1]), name[1:-1])


def _character(escape: bytes) -> bytes:
    return bytes([int(escape, 8)]) if len(escape) == 3 else _ESCAPES.get(escape, escape)


def _real(top: Path, name: bytes) -> str:
    return os.path.realpath(top / os.fsdecode(name))
