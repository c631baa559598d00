"""Query an untrusted repository with git, without running anything that it configures.

Configuration, attributes and hooks of a repository name commands: filters of files on disk, drivers of diffs, monitors
of folders, ways to fetch what is missing. Only git's objects and index are read, and nothing that would lead to these;
texts are compared outside of any repository.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory, TemporaryFile

from torchlint.errors import UsageError, in_words
from torchlint.files.existence import is_file, is_present

_MOST_BYTES = 1 << 28
_CHUNK = 1 << 20
# With these, git tells its hooks where they are, whatever folder a query is about; and this one changes a diff.
_OTHERWISE = frozenset({
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_DIFF_OPTS",
})  # fmt: skip
# Missing objects are not fetched; versions of git without that setting may use no protocol for it.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}
_QUIET = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
_NOWHERE = {
    "GIT_DIR": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
}
_OPTIONS = (
    "--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}",
    "-c", "safe.bareRepository=explicit",
)  # fmt: skip
_DIFF = ("diff", "--no-index", "--text", "--no-color", "--no-ext-diff", "--no-textconv", "--unified=0")
_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class _Answer:
    code: int
    output: bytes
    complaint: str


class Repository:
    """The repository around a folder: the nearest one with a `.git`, which one committed inside another lacks."""

    def __init__(self, folder: Path) -> None:
        real = Path(os.path.realpath(folder))
        self.top = next((above for above in (real, *real.parents) if _is_repository(above / ".git")), real)
        self._environment = {"GIT_DIR": str(self.top / ".git"), "GIT_WORK_TREE": str(self.top)}
        self._said("rev-parse", "--git-dir")

    def commit(self, reference: str) -> str | None:
        """Return the commit of a reference."""
        if reference.startswith("-"):
            return None
        return self._line("rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}")

    def fork(self, commit: str) -> str | None:
        """Return the commit at which the current branch forked from that of another."""
        return self._line("merge-base", commit, "HEAD")

    def is_shallow(self) -> bool:
        """Tell whether it was cloned without all of its history, as most jobs of a CI do."""
        return self._line("rev-parse", "--is-shallow-repository") == "true"

    def files_of(self, commit: str) -> dict[bytes, str]:
        """Return the names of a commit's files, and the hashes of their contents."""
        return {name: said[2] for said, name in _entries(self._said("ls-tree", "-r", "-z", "--full-tree", commit))}

    def tracked(self) -> dict[bytes, bool]:
        """Return the names in the index, and whether they are those of submodules."""
        entries = _entries(self._said("ls-files", "-z", "--stage"))
        return {name: said[0] == "160000" for said, name in entries}

    def blobs(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of blobs, of those that are present."""
        said = self._said("cat-file", "--batch", question="".join(f"{name}\n" for name in names).encode())
        found: dict[str, bytes] = {}
        place = 0
        while place < len(said):
            head, _, _ = said[place : place + 200].partition(b"\n")
            place += len(head) + 1
            name, kind, *size = head.decode().split(" ")
            if kind == "blob":
                found[name] = said[place : place + int(size[0])]
            if size:
                place += int(size[0]) + 1
        return found

    def _line(self, *words: str) -> str | None:
        """Return the line of git's output, None if there is none."""
        answer = _ask(words, self.top, self._environment)
        return answer.output.decode().strip() if answer.code == 0 else None

    def _said(self, *words: str, question: bytes = b"") -> bytes:
        answer = _ask(words, self.top, self._environment, question)
        if answer.code:
            raise UsageError(f"--diff-base: git says: {answer.complaint}")
        return answer.output


def changed_lines(before: bytes, after: bytes) -> tuple[range, ...]:
    """Return the lines of a text that another text does not have."""
    with TemporaryDirectory(prefix="torchlint-") as folder:
        for name, text in (("before", before), ("after", after)):
            Path(folder, name).write_bytes(text)
        answer = _ask((*_DIFF, "before", "after"), Path(folder), _NOWHERE)
    if answer.code not in (0, 1):
        raise UsageError(f"--diff-base: git says: {answer.complaint}")
    hunks = filter(None, map(_HUNK.match, answer.output.split(b"\n")))
    lines = ((int(hunk[1]), int(hunk[2] or 1)) for hunk in hunks)
    return tuple(range(start, start + count) for start, count in lines if count)


def _is_repository(entry: Path) -> bool:
    """Tell whether a `.git` is a repository: a folder, or the file of a worktree or of a submodule."""
    return is_file(entry) or is_present(entry / "HEAD")


def _entries(said: bytes) -> Iterator[tuple[list[str], bytes]]:
    """Yield git's fields for each file, and the file's name."""
    for entry in said.split(b"\0")[:-1]:
        head, _, name = entry.partition(b"\t")
        yield head.decode().split(" "), name


def _ask(words: Iterable[str], folder: Path, about: dict[str, str], question: bytes = b"") -> _Answer:
    environment = {name: value for name, value in os.environ.items() if name not in _OTHERWISE}
    environment |= _OFFLINE | _QUIET | about
    command = [_git(), *_OPTIONS, *words]
    with TemporaryFile() as asked, TemporaryFile() as complaint:
        asked.write(question)
        asked.seek(0)
        try:
            with Popen(command, cwd=folder, env=environment, stdin=asked, stdout=PIPE, stderr=complaint) as process:
                output = _output(process)
        except OSError as error:
            raise UsageError(f"--diff-base asks git, which cannot be run: {in_words(error)}") from error
        complaint.seek(0)
        first = complaint.read(_CHUNK).decode("utf-8", "replace").strip().partition("\n")[0]
    return _Answer(process.returncode, output, first.removeprefix("fatal: "))


def _git() -> str:
    """Return the path of git: Windows, and a `.` on the PATH, would run one in the linted folder."""
    name = "git.exe" if os.name == "nt" else "git"
    files = (os.path.join(folder, name) for folder in os.get_exec_path() if os.path.isabs(folder))  # noqa: PTH117, PTH118
    found = next((file for file in files if is_file(file) and os.access(file, os.X_OK)), None)
    if found is None:
        raise UsageError("--diff-base asks git, which is not on the PATH")
    return found


def _output(process: Popen[bytes]) -> bytes:
    """Return the output of a process; a tree with many copies of itself has no end."""
    assert process.stdout is not None
    output = bytearray()
    while chunk := process.stdout.read1(_CHUNK):  # type: ignore[attr-defined]
        output += chunk
        if len(output) > _MOST_BYTES:
            process.kill()
            raise UsageError(f"--diff-base asks git, which answers with more than {_MOST_BYTES >> 20} MiB")
    return bytes(output)
