"""The source of a program as the page shows it: each line with how often it waits per step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from torchlint.terminal.text import printable
from torchlint.verify.merge import Line

_AROUND, _FOLDED = 8, 24
# In waits per step: less than once every other step, about once, several times, many times.
_DEGREES = (0.5, 1.5, 4.5)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the report, and the anchor of its row in the table."""

    line: Line
    anchor: str

    @property
    def status(self) -> str:
        """Return the style of its status."""
        return self.line.status.value.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Listing:
    """A file, its lines in the report, and the prefix of its lines' anchors."""

    source: Sequence[str]
    entries: Sequence[Entry]
    prefix: str

    def anchor(self, number: int) -> str:
        """Return the anchor of a line."""
        return f"{self.prefix}L{number}"

    def html(self) -> Iterator[str]:
        """Yield the lines; long stretches without waits are collapsed."""
        yield "<ol>"
        for stretch, is_folded in self._stretches():
            if is_folded:
                # A list contains only items, so it ends here and continues below.
                yield f"</ol><details><summary>lines {stretch[0]}-{stretch[-1]}: no waits</summary><ol>"
            yield from map(self._row, stretch)
            if is_folded:
                yield "</ol></details><ol>"
        yield "</ol>"

    def _stretches(self) -> Iterator[tuple[range, bool]]:
        """Yield ranges of line numbers, and whether they are collapsed."""
        told = sorted({number for entry in self.entries for number in _numbers(entry)})
        start = 1
        for number in [*told, len(self.source) + 1 + _AROUND]:
            hidden = range(start, min(number - _AROUND, len(self.source) + 1))
            if len(hidden) >= _FOLDED:
                yield hidden, True
                start = hidden.stop
            stop = min(number + _AROUND, len(self.source)) + 1
            if stop > start:
                yield range(start, stop), False
                start = stop

    def _row(self, number: int) -> str:
        own = [entry for entry in self.entries if entry.line.span.line == number and entry.line.waits]
        per_step = sum(entry.line.per_step for entry in own)
        heat = f'<a class="heat" href="#{own[0].anchor}">{per_step:.2f}</a>' if own else '<span class="heat"></span>'
        return (
            f'<li id="{self.anchor(number)}" class="heat-{degree(per_step)}">'
            f'<span class="gutter"><span class="number">{number}</span>{heat}</span>'
            f"<code>{self._code(number)}</code></li>"
        )

    def _code(self, number: int) -> str:
        """Return a line of source with its findings marked; of two marks the first in the table wins."""
        text = self.source[number - 1]
        spans = [(entry, *_columns(entry, number, text)) for entry in self.entries if number in _numbers(entry)]
        edges = sorted({0, len(text), *(edge for _, start, end in spans for edge in (start, end))})
        parts = []
        for left, right in pairwise(edges):
            shown = shown_code(text[left:right])
            over = next((entry for entry, start, end in spans if start <= left and right <= end), None)
            parts.append(f'<mark class="{over.status}">{shown}</mark>' if over else shown)
        return "".join(parts)


def degree(per_step: float) -> int:
    """Return how hot a line is: 0 where it does not wait, up to 4."""
    return 1 + sum(per_step >= limit for limit in _DEGREES) if per_step else 0


def shown_code(text: str) -> str:
    """Return source as HTML without markup and control characters."""
    return escape("\t".join(map(printable, text.split("\t"))))


def _numbers(entry: Entry) -> range:
    return range(entry.line.span.line, entry.line.span.end_line + 1)


def _columns(entry: Entry, number: int, text: str) -> tuple[int, int]:
    """Return the start and end of an entry in one of its lines, counted from 0, without the indentation."""
    span = entry.line.span
    start = span.column - 1 if number == span.line else len(text) - len(text.lstrip())
    end = span.end_column - 1 if number == span.end_line else len(text)
    return min(start, len(text)), min(end, len(text))
