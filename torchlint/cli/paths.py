"""Which of the paths on the command line can be linted, and what to tell of the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from torchlint.report import RunError

SUFFIXES = (".py", ".pyi", ".pyw")
_COMMANDS = {"check", "explain", "rules", "verify"}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A path that is not linted, and what may have been meant instead."""

    error: RunError
    tip: str = ""


def sorted_out(words: Iterable[str]) -> tuple[list[Path], list[Refusal]]:
    """Return the paths that can be linted, and why the others cannot."""
    paths: list[Path] = []
    refusals: list[Refusal] = []
    for word in words:
        refusal = _refusal(word)
        if refusal is None:
            paths.append(Path(word))
        else:
            refusals.append(refusal)
    return paths, refusals


def _refusal(word: str) -> Refusal | None:
    path = Path(word)
    try:
        if not path.exists():
            return Refusal(RunError(word, "missing-path", f"path does not exist: {word}"), _tip(word))
        if path.is_dir() or _is_python(path):
            return None
    except OSError as error:
        return Refusal(RunError(word, "unreadable-path", f"cannot read {word}: {error.strerror}"))
    return Refusal(RunError(word, "not-python", f"{word} is not a .py or .pyi file"))


def _is_python(path: Path) -> bool:
    """Tell whether a file says that it is Python, by its name or in its first line."""
    if path.suffix in SUFFIXES:
        return True
    if path.suffix or not path.is_file():
        return False
    with path.open("rb") as file:
        first = file.readline(200)
    return first.startswith(b"#!") and b"python" in first


def _tip(word: str) -> str:
    if word in _COMMANDS:
        return f"`{word}` is a command where it is the first word"
    similar = _similar(Path(word))
    return f"a similar path exists: {similar}" if similar else ""


def _similar(path: Path) -> str:
    """Return the path that is likely to be meant: the same as far as it exists, then the nearest name."""
    from difflib import get_close_matches

    missing = next(part for part in (*reversed(path.parents), path) if not part.exists())
    if not missing.parent.is_dir():
        return ""
    names = {neighbour.name: neighbour for neighbour in missing.parent.iterdir()}
    near = get_close_matches(missing.name, names, n=1)
    if not near:
        return ""
    whole = names[near[0]] / path.relative_to(missing)
    if not whole.exists():
        whole = names[near[0]]
    return f"{whole.as_posix()}/" if whole.is_dir() else whole.as_posix()
