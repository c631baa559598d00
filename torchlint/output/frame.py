"""Draw the lines of source that a reader needs, with the relevant code underlined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from torchlint.finding import Severity, Span
from torchlint.output.canvas import Canvas, folded, spaced
from torchlint.terminal.style import Style
from torchlint.terminal.text import ELLIPSIS, printable


@dataclass(frozen=True, slots=True)
class Mark:
    """A span of source to underline: with carets if it has a severity, else with dashes; and words for it."""

    span: Span
    words: str = ""
    severity: Severity | None = None

    @property
    def is_tall(self) -> bool:
        """Tell whether the mark spans several lines."""
        return self.span.end_line > self.span.line

    def underlined(self, number: int) -> range | None:
        """Return which characters of a line to underline, by index: of a tall mark, its first and its last one."""
        span = self.span
        if number not in (span.line, span.end_line):
            return None
        first = span.column - 1 if number == span.line else span.end_column - 2
        return range(first, span.end_column - 1 if number == span.end_line else first + 1)


def frame(lines: Sequence[str], marks: Sequence[Mark], canvas: Canvas) -> Iterator[str]:
    """Yield the lines that the marks are on, each followed by its underlines, between two bars.

    The first mark may be tall if it has a severity; of any other, the first line is shown.
    """
    main, *others = marks
    main = _fitted(main, lines) if main.severity else _lowered(main, lines)
    marks = (main, *(_lowered(mark, lines) for mark in others))
    numbers = {*folded(range(main.span.line, main.span.end_line + 1)), *(mark.span.line for mark in marks)}
    yield canvas.lined()
    for number in spaced(sorted(numbers)):
        yield from [ELLIPSIS] if number is None else _line(lines[number - 1], number, marks, canvas)
    yield canvas.lined()


def _fitted(mark: Mark, lines: Sequence[str]) -> Mark:
    """Return a mark that ends at something to underline: in the text, not at the start of a line."""
    span = mark.span
    end_line = max(span.line, min(span.end_line - (span.end_column <= 1), len(lines)))
    return mark if end_line == span.end_line else replace(mark, span=_up_to_end_of(end_line, span, lines))


def _lowered(mark: Mark, lines: Sequence[str]) -> Mark:
    """Return the part of a mark on its first line."""
    return replace(mark, span=_up_to_end_of(mark.span.line, mark.span, lines)) if mark.is_tall else mark


def _up_to_end_of(line: int, span: Span, lines: Sequence[str]) -> Span:
    return Span(span.line, span.column, line, len(lines[line - 1]) + 1)


def _line(text: str, number: int, marks: Sequence[Mark], canvas: Canvas) -> Iterator[str]:
    """Yield a line of source and the underlines below it."""
    stretches = [(mark, stretch) for mark in marks if (stretch := mark.underlined(number)) is not None]
    focus = stretches[0][1] if stretches else range(0)
    shown = canvas.row(text, focus, indent=len(_edge(marks[0], number, Style())))
    yield canvas.lined(_edge(marks[0], number, canvas.style) + shown.text, number)
    below = _edge(marks[0], number + 1, canvas.style)
    for mark, stretch in stretches:
        columns = shown.stretch(stretch.start, stretch.stop)
        yield canvas.lined(_tip(mark, number, columns, canvas.style) or below + _underline(mark, columns, canvas.style))


def _tip(mark: Mark, number: int, columns: range, style: Style) -> str:
    """Return the line from the bar of a tall mark to its first or last character."""
    if not mark.is_tall:
        return ""
    corner = "|" if number == mark.span.end_line else " "
    return _painted(f"{corner}{'_' * (columns.start + 1)}^", mark, style)


def _underline(mark: Mark, columns: range, style: Style) -> str:
    line = ("^" if mark.severity else "-") * len(columns)
    return " " * columns.start + _painted(f"{line} {printable(mark.words)}".rstrip(), mark, style)


def _edge(mark: Mark, number: int, style: Style) -> str:
    """Return the text before a line of source: a bar beside the lines of a tall mark, and space elsewhere."""
    if not mark.is_tall:
        return ""
    return f"{_painted('|', mark, style)} " if mark.span.line < number <= mark.span.end_line else "  "


def _painted(text: str, mark: Mark, style: Style) -> str:
    return style.grave(text, mark.severity) if mark.severity else text
