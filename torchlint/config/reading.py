"""Read the settings of a file or a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from torchlint.config.entry import Entry, Mistake
from torchlint.config.fields import decode
from torchlint.config.layer import Layer
from torchlint.config.mistakes import noted, shown_mistakes
from torchlint.config.toml import Document, read_toml, toml_document
from torchlint.errors import UsageError

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
        raise UsageError(shown_mistakes(document, wrong))
    return replace(layer, notes=tuple(noted(document, one) for one in mistakes)) if mistakes else layer


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
