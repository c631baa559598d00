"""The lines of source that a reader needs, on a page: the relevant code is marked, with words below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchlint.output.canvas import folded, spaced
from torchlint.output.frame import Mark
from torchlint.output.highlight import Parts
from torchlint.output.markup import code, phrase
from torchlint.terminal.text import ELLIPSIS, LONGEST, len_on_screen, printable

_AROUND = 1
# So much fits on a screen; a part further to the right begins with a lead that shows what it belongs to.
_FITTING = 120
_LEAD = 40


def frame(lines: Sequence[str], marks: Sequence[Mark], parts: Parts) -> Iterator[str]:
    """Yield the lines that the marks are on and those around them, numbered; `parts` are what the lines consist of."""
    numbers = _trimmed(sorted(set(_numbers(marks, len(lines)))), lines)
    width = len(str(numbers[-1]))
    # A scrollable element must be reachable from the keyboard.
    yield '<pre class="code" tabindex="0">'
    for number in spaced(numbers):
        if number is None:
            yield f'<span class="number">{ELLIPSIS}</span>\n'
        else:
            yield from _line(lines[number - 1], number, width, marks, parts.get(number, ()))
    yield "</pre>\n"


def _numbers(marks: Sequence[Mark], last: int) -> Iterator[int]:
    """Yield the lines to show: of the first mark all, or of many the first and the last; of the others the first."""
    main = marks[0].span
    yield from folded(range(main.line, min(main.end_line, last) + 1))
    for mark in marks:
        around = range(mark.span.line - _AROUND, mark.span.line + _AROUND + 1)
        yield from (number for number in around if 0 < number <= last)


def _trimmed(numbers: Sequence[int], lines: Sequence[str]) -> Sequence[int]:
    """Return numbers of lines without those of blank lines at either end, if more than those are left."""
    told = [number for number in numbers if lines[number - 1].strip()]
    return [number for number in numbers if told[0] <= number <= told[-1]] if told else numbers


def _line(
    text: str, number: int, width: int, marks: Sequence[Mark], parts: Sequence[tuple[range, str]]
) -> Iterator[str]:
    """Yield a line, and below it the words of the marks that begin there."""
    stretches = [(stretch, mark) for mark in marks if (stretch := _stretch(mark, number, len(text))) is not None]
    first = _first_shown(text, stretches[0][0].start if stretches else 0)
    lead = ELLIPSIS if first else ""
    yield f'<span class="number">{number:>{width}}</span> {lead}{"".join(_marked(text, first, stretches, parts))}\n'
    for stretch, mark in stretches:
        if mark.words and mark.span.line == number:
            indent = " " * (width + 1 + len(lead) + _len_shown(text[first : stretch.start]))
            yield f'<span class="words">{indent}╰ {phrase(mark.words)}</span>\n'


def _stretch(mark: Mark, number: int, length: int) -> range | None:
    """Return which characters of a line a mark covers; at least one, so that it can be seen."""
    span = mark.span
    # Of a step of the trace, the first line is enough.
    if not span.line <= number <= (span.end_line if mark.severity else span.line):
        return None
    start = span.column - 1 if number == span.line else 0
    stop = span.end_column - 1 if number == span.end_line else length
    return range(start, max(start + 1, min(stop, length)))


def _first_shown(text: str, start: int) -> int:
    """Return where to begin to show a line, so that a position far to the right is seen without scrolling."""
    return 0 if start < _FITTING else min(start, len(text)) - _LEAD


def _marked(
    text: str, first: int, stretches: Sequence[tuple[range, Mark]], parts: Sequence[tuple[range, str]]
) -> Iterator[str]:
    """Yield the shown part of a line; where marks overlap, the first of them counts."""
    last = min(len(text), first + LONGEST)
    edges = {edge for stretch, _ in stretches for edge in (stretch.start, stretch.stop) if first < edge < last}
    starts = sorted({first, *edges})
    for start, stop in zip(starts, [*starts[1:], last], strict=True):
        piece = "".join(_coloured(text, range(start, stop), parts))
        kind = next(
            (mark.severity.value if mark.severity else "step" for stretch, mark in stretches if start in stretch), ""
        )
        yield f'<mark class="{kind}">{piece}</mark>' if kind and piece else piece
    if last < len(text):
        yield ELLIPSIS


def _coloured(text: str, piece: range, parts: Sequence[tuple[range, str]]) -> Iterator[str]:
    """Yield a piece of a line with its keywords, strings, numbers and comments in their colours."""
    done = piece.start
    for part, kind in parts:
        start, stop = max(part.start, done), min(part.stop, piece.stop)
        if start < stop:
            yield code(text[done:start])
            yield f'<span class="{kind}">{code(text[start:stop])}</span>'
            done = stop
    yield code(text[done : piece.stop])


def _len_shown(text: str) -> int:
    """Return how many columns a text takes on the page, where a tab is as wide as four."""
    return len_on_screen(printable(text.expandtabs(4)))
