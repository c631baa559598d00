"""What the `.gitignore` files of a repository leave out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from torchlint.files.regular import MOST_OF_SETTINGS, read_regular
from torchlint.files.wildmatch import UnmatchableError, Wildmatch

NAME = ".gitignore"
_BOM = b"\xef\xbb\xbf"
_WILD = frozenset(b"*?[\\")


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern: whether its matches are left out or included again, and what it matches."""

    leaves_out: bool
    only_folders: bool
    only_names: bool
    """Whether it applies to the last part of a path, and not to the whole."""
    matches: Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Ignored:
    """The rules of a file, and the folder that they are relative to."""

    base: str
    rules: tuple[_Rule, ...]

    def says(self, path: str) -> bool | None:
        """Return whether a path is left out, or a folder that it is in; None if no pattern matches."""
        if not path.startswith(self.base):
            return None
        slashes = (place + 1 for place in range(len(self.base), len(path) - 1) if path[place] == "/")
        return any(self.says_by_itself(path[:end]) for end in slashes) or self.says_by_itself(path)

    def says_by_itself(self, path: str) -> bool | None:
        """Return what the patterns say of a path whose folders are included; that of a folder ends with `/`."""
        if not path.startswith(self.base):
            return None
        # Git compares bytes, whatever their encoding.
        whole = os.fsencode(path[len(self.base) :].removesuffix("/"))
        name, is_folder = whole.rpartition(b"/")[2], path.endswith("/")
        for rule in reversed(self.rules):
            if (is_folder or not rule.only_folders) and rule.matches(name if rule.only_names else whole):
                return rule.leaves_out
        return None


def patterns(folder: Path, lines: Iterable[str]) -> Ignored:
    """Return patterns relative to a folder."""
    return _ignored(folder, tuple(map(os.fsencode, lines)))


def read_patterns(folder: Path) -> Ignored | None:
    """Return the patterns of the `.gitignore` of a folder, None if there is none; raises `OSError`."""
    try:
        data = read_regular(folder / NAME, MOST_OF_SETTINGS)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    return _ignored(folder, tuple(line.removesuffix(b"\r") for line in data.removeprefix(_BOM).split(b"\n")))


def is_ignored(path: str, layers: Sequence[Ignored]) -> bool:
    """Tell whether a path is left out by itself; of the layers, outermost first, the innermost that matches decides."""
    said = (layer.says_by_itself(path) for layer in reversed(layers))
    return next((is_out for is_out in said if is_out is not None), False)


def is_pattern(line: str) -> bool:
    """Tell whether a line is a valid pattern: whether it can match any path."""
    try:
        return _rule(os.fsencode(line), is_strict=True) is not None or line.strip() != "!"
    except UnmatchableError:
        return False


def _ignored(folder: Path, lines: tuple[bytes, ...]) -> Ignored:
    base = folder.as_posix()
    return Ignored(base if base.endswith("/") else f"{base}/", _rules(lines))


@lru_cache(maxsize=64)
def _rules(lines: tuple[bytes, ...]) -> tuple[_Rule, ...]:
    return tuple(_readable(lines))


def _readable(lines: Iterable[bytes]) -> Iterator[_Rule]:
    for line in lines:
        try:
            rule = _rule(line)
        except UnmatchableError:
            continue
        if rule is not None:
            yield rule


def _rule(line: bytes, *, is_strict: bool = False) -> _Rule | None:
    """Return the pattern of a line, None if it has none."""
    if line.startswith(b"#"):
        return None
    line = _without_spaces(line)
    pattern = line.removeprefix(b"!")
    only_folders = pattern.endswith(b"/")
    pattern = pattern.removesuffix(b"/")
    if not pattern:
        return None
    return _Rule(
        not line.startswith(b"!"),
        only_folders,
        b"/" not in pattern,
        _matcher(pattern.removeprefix(b"/"), is_strict=is_strict),
    )


def _without_spaces(line: bytes) -> bytes:
    """Return a line without its trailing spaces, except one after a backslash."""
    bare = line.rstrip(b" ")
    is_escaped = (len(bare) - len(bare.rstrip(b"\\"))) % 2 and len(bare) < len(line)
    return bare + b" " if is_escaped else bare


def _matcher(pattern: bytes, *, is_strict: bool) -> Callable[[bytes], object]:
    """Return a matcher for a pattern; most of them are plain names, or suffixes."""
    if _WILD.isdisjoint(pattern):
        return pattern.__eq__
    tail = pattern.removeprefix(b"*")
    if len(tail) + 1 == len(pattern) and _WILD.isdisjoint(tail) and b"/" not in tail:
        return lambda name: name.endswith(tail) and b"/" not in name
    return Wildmatch(pattern, is_strict=is_strict).matches
