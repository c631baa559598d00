"""Read the settings of a file or a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from torchlint.config.entry import Entry, Mistake
from torchlint.config.fields import decode
from torchlint.config.layer import Layer
from torchlint.config.places import Places, places
from torchlint.config.toml import Document, read_toml, toml_document
from torchlint.errors import UsageError
from torchlint.terminal.text import printable, row

_PYPROJECT = "pyproject.toml"
_TABLE = ("tool", "torchlint")


def inline_layer(text: str, root: Path) -> Layer:
    """Return the settings of a line such as `min-confidence = "high"`."""
    try:
        document = toml_document("--config", text)
    except UsageError as error:
        tip = "  tip: a text is in quotes: --config 'fail-on = \"error\"'"
        raise UsageError(f"{error.lines[0]}\n{tip}") from None
    return _decoded(document, lambda document, mistakes: decode(Entry((), document.table, mistakes), root))


def file_layer(file: Path, extending: tuple[Path, ...] = ()) -> Layer:
    """Return a file's own settings; `extending` are those that led to it."""
    return _decoded(
        read_toml(file),
        lambda document, mistakes: decode(_table(document, file, mistakes), file.absolute().parent, file, extending),
    )


def _decoded(document: Document, layer_of: Callable[[Document, list[Mistake]], Layer]) -> Layer:
    mistakes: list[Mistake] = []
    layer = layer_of(document, mistakes)
    if wrong := [one for one in mistakes if not one.is_note]:
        raise UsageError(_shown_mistakes(document, wrong))
    return replace(layer, notes=tuple(_noted(document, one) for one in mistakes)) if mistakes else layer


def _table(document: Document, file: Path, mistakes: list[Mistake]) -> Entry:
    """Return the table with the settings: of our own files, the whole."""
    tool = document.table.get(_TABLE[0])
    ours = tool.get(_TABLE[1]) if isinstance(tool, dict) else None
    if file.name == _PYPROJECT:
        if ours is None:
            raise UsageError(f"{document.shown} has no table [tool.torchlint]")
        return Entry(_TABLE, ours, mistakes)
    if ours is not None:
        raise UsageError(
            f"{document.shown} has a table [tool.torchlint], as only pyproject.toml has: begin with its keys"
        )
    return Entry((), document.table, mistakes)


@dataclass(frozen=True, slots=True)
class _Mark:
    """A part of a line, from index `start` up to `end`, and words for it."""

    line: int
    start: int
    end: int
    words: str


def _shown_mistakes(document: Document, mistakes: Sequence[Mistake]) -> str:
    """Return a message that shows every mistake, from top to bottom."""
    name, at = printable(document.shown), places(document.text)
    lines = document.text.split("\n")
    marks = sorted((_mark(document.text, at, one) for one in mistakes), key=lambda mark: (mark.line, mark.start))
    gutter = len(str(marks[-1].line))
    frames = [line for mark in marks for line in _frame(name, lines[mark.line - 1], mark, gutter)]
    count = f"{len(marks)} mistake{'s' if len(marks) > 1 else ''} in {name}"
    return "\n".join([f"invalid configuration in {name}", *frames, count])


def _noted(document: Document, note: Mistake) -> str:
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
