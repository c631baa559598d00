"""Show the mistakes in a configuration at their positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torchlint.config.entry import Mistake
from torchlint.config.places import Places, places
from torchlint.config.toml import Document
from torchlint.terminal.text import printable, row


@dataclass(frozen=True, slots=True)
class _Mark:
    """A part of a line, from index `start` up to `end`, and words for it."""

    line: int
    start: int
    end: int
    words: str


def shown_mistakes(document: Document, mistakes: Sequence[Mistake]) -> str:
    """Return a message that shows every mistake, from top to bottom."""
    name, at = printable(document.shown), places(document.text)
    lines = document.text.split("\n")
    marks = sorted((_mark(document.text, at, one) for one in mistakes), key=lambda mark: (mark.line, mark.start))
    gutter = len(str(marks[-1].line))
    frames = [line for mark in marks for line in _frame(name, lines[mark.line - 1], mark, gutter)]
    count = f"{len(marks)} mistake{'s' if len(marks) > 1 else ''} in {name}"
    return "\n".join([f"invalid configuration in {name}", *frames, count])


def noted(document: Document, note: Mistake) -> str:
    """Return a line with a note, and its position."""
    mark = _mark(document.text, places(document.text), note)
    return f"{printable(document.shown)}:{mark.line}:{mark.start + 1}: {printable(note.message)}"


def _mark(text: str, at: Places, mistake: Mistake) -> _Mark:
    """Return the part of a key or a value that is on its first line."""
    stretch = at.key(mistake.path) if mistake.of_key else at.value(mistake.path)
    before = text.rfind("\n", 0, stretch.start) + 1
    end = min(stretch.stop, f"{text}\n".index("\n", stretch.start))
    return _Mark(text.count("\n", 0, before) + 1, stretch.start - before, end - before, mistake.message)


def _frame(name: str, line: str, mark: _Mark, gutter: int) -> Iterator[str]:
    shown = row(line, mark.start, mark.end)
    columns = shown.stretch(mark.start, mark.end)
    yield f"{'':{gutter}}--> {name}:{mark.line}:{mark.start + 1}"
    yield f"{'':{gutter}} |"
    yield f"{mark.line:{gutter}} | {shown.text}"
    yield f"{'':{gutter}} | {' ' * columns.start}{'^' * len(columns)} {printable(mark.words)}"
