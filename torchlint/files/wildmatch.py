"""Patterns of paths as git matches them, in time proportional to the pattern times the path.

Git's own matcher, as a regular expression with `.*` for each star, tries each end of one star with each end of all
those before it: `*a*a*a*a*ab` takes for ever. What is between two stars has a fixed length, and its first match is as
good as any later one: only the last star is ever given another end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

# A wildcard for any number of bytes returns where it may end next, after a position where it cannot.
_Wildcard: TypeAlias = "Callable[[bytes, int], int | None]"
_Atom: TypeAlias = "bytes | _Wildcard"
"""A wildcard, or the bytes one of which must be there."""

_LONGEST = 32_768  # no system allows longer paths
_ASCII = bytes(range(1, 128))
_BYTES = bytes(range(1, 256))
_NAMED = {
    b"alnum": rb"[a-zA-Z0-9]", b"alpha": rb"[a-zA-Z]", b"blank": rb"[ \t]", b"cntrl": rb"[\x01-\x1f\x7f]",
    b"digit": rb"[0-9]", b"graph": rb"[!-~]", b"lower": rb"[a-z]", b"print": rb"[ -~]", b"punct": rb"[!-/:-@\[-`{-~]",
    b"space": rb"[\t-\r ]", b"upper": rb"[A-Z]", b"xdigit": rb"[0-9a-fA-F]",
}  # fmt: skip
_STARS = re.compile(rb"\*+")
_WILD = re.compile(rb"[*?\[\\]")
_NAME = re.compile(rb"\[:([^\]]*):\]")
_RANGE = re.compile(rb"-(?:\\(.)|([^\]\\]))", re.DOTALL)


class UnmatchableError(ValueError):
    """No path can match the pattern: a bracket is not closed, for example, or a range is empty."""


class Wildmatch:
    """A pattern, a `*` of which stops at slashes, while `**` matches folders; raises `UnmatchableError`.

    To git a backward range is its first byte; strict patterns reject it.
    """

    def __init__(self, pattern: bytes, *, is_strict: bool = False) -> None:
        if len(pattern) > _LONGEST:
            raise UnmatchableError
        self._atoms = tuple(_atoms(pattern, is_strict=is_strict))
        last = self._atoms[-1] if self._atoms else b""
        self._last = last if isinstance(last, bytes) else _BYTES

    def matches(self, path: bytes) -> bool:
        """Tell whether the pattern matches the whole of a path."""
        # Most do not match, and most of these end with another byte.
        return path[-1:] in self._last and self._is_all_of(path)

    def _is_all_of(self, path: bytes) -> bool:
        atoms, open_ends = self._atoms, list[tuple[int, int]]()
        index = place = 0
        while index < len(atoms) or place < len(path):
            atom = atoms[index] if index < len(atoms) else b""
            if not isinstance(atom, bytes):
                self._forget_settled(open_ends, atom)
                open_ends.append((index, place))
            elif place < len(path) and path[place] in atom:
                place += 1
            elif (later := self._later_end(open_ends, path)) is not None:
                index, place = later
            else:
                return False
            index += 1
        return True

    def _forget_settled(self, open_ends: list[tuple[int, int]], wildcard: _Wildcard) -> None:
        """Drop the wildcards whose end no longer matters because of another one."""
        if wildcard is not _star:
            open_ends.clear()
        elif open_ends and self._atoms[open_ends[-1][0]] is _star:
            open_ends.pop()

    def _later_end(self, open_ends: list[tuple[int, int]], path: bytes) -> tuple[int, int] | None:
        """Return a wildcard that may end later than it does, and where."""
        while open_ends:
            index, place = open_ends.pop()
            wildcard = self._atoms[index]
            if not isinstance(wildcard, bytes) and (later := wildcard(path, place)) is not None:
                open_ends.append((index, later))
                return index, later
        return None


def _star(path: bytes, place: int) -> int | None:
    return None if path[place : place + 1] in (b"", b"/") else place + 1


def _folders(path: bytes, place: int) -> int | None:
    return path.find(b"/", place) + 1 or None


def _anything(path: bytes, place: int) -> int | None:
    return place + 1 if place < len(path) else None


def _atoms(pattern: bytes, *, is_strict: bool) -> Iterator[_Atom]:
    # Git compares what comes before the first wildcard by itself, so that `**` right after it begins a pattern.
    wild = _WILD.search(pattern)
    start = wild.start() if wild else len(pattern)
    place = 0
    while place < len(pattern):
        match pattern[place : place + 1]:
            case b"*":
                stars = _STARS.match(pattern, place)
                assert stars is not None
                is_whole = len(stars[0]) > 1 and (place == start or pattern[place - 1 : place] == b"/")
                place = stars.end()
                if is_whole and pattern[place : place + 1] == b"/":
                    yield _folders
                    place += 1
                else:
                    yield _anything if is_whole and pattern[place : place + 2] in (b"", rb"\/") else _star
            case b"?":
                yield _BYTES.replace(b"/", b"")
                place += 1
            case b"[":
                found, place = _bracket(pattern, place + 1, is_strict=is_strict)
                yield found
            case b"\\":
                yield _byte(pattern, place + 1)
                place += 2
            case literal:
                yield literal
                place += 1


def _bracket(pattern: bytes, place: int, *, is_strict: bool) -> tuple[bytes, int]:
    """Return the bytes that a bracket matches, and the position after it; a `]` that comes first is one of them."""
    is_negated = pattern[place : place + 1] in (b"!", b"^") and place < len(pattern)
    first = place = place + is_negated
    meant = bytearray()
    while (byte := _byte(pattern, place)) != b"]" or place == first:
        if named := _NAME.match(pattern, place):
            meant += _named(named[1])
            place = named.end()
            continue
        if byte == b"\\":
            place += 1
            byte = _byte(pattern, place)
        place += 1
        meant += byte
        if to := _RANGE.match(pattern, place):
            last = to[1] or to[2]
            if is_strict and last < byte:
                raise UnmatchableError
            meant += bytes(range(byte[0], last[0] + 1))
            place = to.end()
    found = bytes(byte for byte in _BYTES if (byte in meant) is not is_negated and byte != ord("/"))
    if not found:
        raise UnmatchableError
    return found, place + 1


def _named(name: bytes) -> bytes:
    if name not in _NAMED:
        raise UnmatchableError
    return b"".join(re.findall(_NAMED[name], _ASCII))


def _byte(pattern: bytes, place: int) -> bytes:
    """Return the byte at a position where a pattern must continue."""
    if place >= len(pattern):
        raise UnmatchableError
    return pattern[place : place + 1]
