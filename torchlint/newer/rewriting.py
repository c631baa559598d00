"""A program with some parts rewritten, and the mapping of positions back to the original."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter
from typing import TypedDict

from torchlint.newer.texts import Text


@dataclass(frozen=True, slots=True, order=True)
class Rewrite:
    """A span of a program, in bytes, and its replacement."""

    start: int
    end: int
    text: str = ""


class Place(TypedDict):
    """The position of a node, as CPython counts."""

    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


class Lines:
    """The offsets of the lines of a program, in bytes."""

    def __init__(self, data: bytes) -> None:
        self._starts = list(accumulate((len(line) + 1 for line in data.split(b"\n")), initial=0))

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position in the program."""
        return self._starts[line - 1] + column

    def place(self, start: int, end: int) -> Place:
        """Return a span of the program as CPython counts."""
        (line, column), (end_line, end_column) = self._position(start), self._position(end)
        return Place(lineno=line, col_offset=column, end_lineno=end_line, end_col_offset=end_column)

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A rewrite that was applied: from `at` to `stop` in the new text, for `start` to `end` in the old."""

    at: int
    stop: int
    start: int
    end: int


class Rewriting:
    """A program as the running Python can read it.

    `texts` are the formatted strings by the positions of their tuples, without those in what is left out.
    """

    def __init__(self, data: bytes, rewrites: Iterable[Rewrite], texts: Iterable[Text]) -> None:
        self.before = Lines(data)
        parts: list[bytes] = []
        self._pieces = list(_carried_out(data, rewrites, parts))
        self._ats = [piece.at for piece in self._pieces]
        after = b"".join(parts)
        self.text = after.decode()
        self.after = Lines(after)
        replaced = [piece for piece in self._pieces if piece.end > piece.start]
        ats, stops = {piece.start: piece.at for piece in replaced}, {piece.end: piece.stop for piece in replaced}
        self.texts: Mapping[tuple[int, int], Text] = {
            (ats[text.start], stops[text.end]): text for text in texts if text.start in ats and text.end in stops
        }

    def start_of(self, offset: int, *, is_statement: bool) -> int:
        """Return the original offset of what begins at an offset; what is left out there began a statement."""
        index = bisect_left(self._ats, offset) if is_statement else bisect_right(self._ats, offset)
        if is_statement and index < len(self._pieces) and self._pieces[index].at == offset:
            return self._pieces[index].start
        if index == 0:
            return offset
        piece = self._pieces[index - 1]
        return piece.start if offset < piece.stop else piece.end + offset - piece.stop

    def end_of(self, offset: int) -> int:
        """Return the original offset of what ends at an offset."""
        index = bisect_left(self._ats, offset)
        if index == 0:
            return offset
        piece = self._pieces[index - 1]
        return piece.end + max(0, offset - piece.stop)


def _carried_out(data: bytes, rewrites: Iterable[Rewrite], parts: list[bytes]) -> Iterator[_Piece]:
    """Yield the rewrites as they are applied, without those within others; the new text is appended to `parts`."""
    done = at = 0
    for rewrite in sorted(rewrites, key=attrgetter("start", "end")):
        if rewrite.start < done:
            continue
        text = rewrite.text.encode()
        parts += (data[done : rewrite.start], text)
        at += rewrite.start - done
        yield _Piece(at, at + len(text), rewrite.start, rewrite.end)
        at, done = at + len(text), rewrite.end
    parts.append(data[done:])
