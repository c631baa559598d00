"""Show what a fix would change, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

from torchlint.finding import Edit
from torchlint.output.canvas import Canvas, folded, spaced
from torchlint.terminal.text import ELLIPSIS


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that are removed, lines that replace them, and their position."""

    line: int
    column: int
    removed: Sequence[str]
    added: Sequence[str]


def diff(lines: Sequence[str], edits: Sequence[Edit], canvas: Canvas) -> Iterator[str]:
    """Yield the lines that the edits remove and add; an added line has the number that it will have."""
    shift = 0
    yield canvas.lined()
    for position, hunk in enumerate(hunks(lines, edits)):
        if position:
            yield ELLIPSIS
        focus = range(hunk.column - 1, hunk.column)
        yield from _side("-", hunk.removed, None, focus, canvas)
        yield from _side("+", hunk.added, hunk.line + shift, focus, canvas)
        shift += len(hunk.added) - len(hunk.removed)
    yield canvas.lined()


def hunks(lines: Sequence[str], edits: Sequence[Edit]) -> Iterator[Hunk]:
    """Yield the changes of the edits, from top to bottom; edits of the same lines are one change."""
    together: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: edit.span):
        if together and edit.span.line > max(other.span.end_line for other in together):
            yield _hunk(lines, together)
            together = []
        together.append(edit)
    if together:
        yield _hunk(lines, together)


def _side(sign: str, lines: Sequence[str], first: int | None, focus: range, canvas: Canvas) -> Iterator[str]:
    """Yield lines with a sign before them, numbered if a number is given for the first."""
    for index in spaced(folded(range(len(lines)))):
        if index is None:
            yield ELLIPSIS
        else:
            number = None if first is None else first + index
            yield canvas.lined(canvas.row(lines[index], focus).text, number, sign)


def _hunk(lines: Sequence[str], edits: Sequence[Edit]) -> Hunk:
    """Return the change of some edits, without the lines that it keeps."""
    line = edits[0].span.line
    old = lines[line - 1 : max(edit.span.end_line for edit in edits)] or ("",)
    new = _edited("\n".join(old), line, edits).split("\n")
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    removed, added = old[head : len(old) - tail], new[head : len(new) - tail]
    return Hunk(line + head, edits[0].span.column, removed, added)


def _edited(text: str, line: int, edits: Sequence[Edit]) -> str:
    """Return a text that begins at a line of the file, with the edits made, the last first so that none moves."""
    starts = list(accumulate((len(row) + 1 for row in text.split("\n")), initial=0))
    for edit in reversed(edits):
        span = edit.span
        start = starts[min(span.line - line, len(starts) - 1)] + span.column - 1
        end = starts[min(span.end_line - line, len(starts) - 1)] + span.end_column - 1
        text = text[:start] + edit.text + text[end:]
    return text


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines two texts have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
