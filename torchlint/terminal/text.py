"""Source text on a terminal: nothing that moves the cursor, and every width known."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

TAB = 4
ELLIPSIS = "..."
# Lines that people write are shorter; a minified one would be printed whole at each finding.
LONGEST = 2_000

# C0 and C1 controls, bidirectional controls (CVE-2021-42574), line separators, lone surrogates; and the prefixes that
# make a line a command in the logs of Azure Pipelines (`##vso[`) and of GitHub Actions (`##[`, its old form), anywhere
# in it.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|(?<=#)#(?=(?:vso)?\\[)",
    re.IGNORECASE,
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}


def printable(text: str) -> str:
    """Return a text of the same length in which control characters are pictures and no log sees a command."""
    return _UNSAFE.sub(lambda found: _PICTURES.get(ord(found[0]), _REPLACEMENT), text)


def encodable(text: str) -> str:
    """Return a text without the lone surrogates that stand for a file name's undecodable bytes."""
    return _SURROGATE.sub(_REPLACEMENT, text)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of source on the screen: `edges[i]` is where its character `first + i` begins, the last edge its end."""

    text: str
    edges: Sequence[int]
    first: int = 0

    def stretch(self, start: int, end: int) -> range:
        """Return the screen columns, at least one, of the characters from index `start` up to `end`."""
        left = self._edge(start)
        return range(left, max(left + 1, self._edge(end)))

    def _edge(self, index: int) -> int:
        return self.edges[min(max(index - self.first, 0), len(self.edges) - 1)]


def row(line: str, start: int = 0, end: int = 0, width: int | None = None) -> Row:
    """Return a line as the screen shows it, cut to a width around the characters from `start` up to `end`."""
    start = min(start, len(line))
    end = min(max(start, end), len(line))
    room = min(max(width or LONGEST, 4 * len(ELLIPSIS)), LONGEST)
    if len(line) <= room and line.isascii() and line.isprintable() and "##" not in line:
        return Row(line, range(len(line) + 1))
    # What is further away than the width cannot be seen, and is skipped.
    first, last = max(0, start - room), min(end, start + room) + room
    cells = _cells(line[first:last])
    edges = list(accumulate(map(len_on_screen, cells), initial=0))
    if first == 0 and last >= len(line) and edges[-1] <= room:
        return Row("".join(cells), edges)
    return _cut(cells, edges, range(start - first, end - first), room, (first, len(line)))


def len_on_screen(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    # Mn, Me: combining marks; Cf: joiners and the like. They share the column of their neighbour.
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cells(line: str) -> list[str]:
    """Return the visible text of each character of a line."""
    cells = list(printable(line))
    column = 0
    for index, character in enumerate(line):
        if character == "\t":
            cells[index] = " " * (TAB - column % TAB)
        column += len_on_screen(cells[index])
    return cells


def _cut(cells: list[str], edges: list[int], focus: range, width: int, extent: tuple[int, int]) -> Row:
    """Return the part of a line that shows its focus, as near to the middle as the line's ends allow."""
    first, length = extent
    room = width - 2 * len(ELLIPSIS)
    begin, finish = (edges[min(index, len(cells))] for index in (focus.start, focus.stop))
    left = begin - max(0, room - (finish - begin)) // 2
    left = max(0, min(left, edges[-1] - room))
    low = bisect_left(edges, left) if left > len(ELLIPSIS) else 0
    high = bisect_right(edges, edges[low] + room) - 1
    lead = ELLIPSIS if low or first else ""
    tail = ELLIPSIS if first + high < length else ""
    moved = [len(lead) + min(max(edge, edges[low]), edges[high]) - edges[low] for edge in edges]
    return Row(f"{lead}{''.join(cells[low:high])}{tail}", moved, first)
