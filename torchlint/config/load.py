"""Find the configuration of a project, and load it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from torchlint.config.entry import Entry, Mistake
from torchlint.config.fields import decode
from torchlint.config.layer import Layer, merged
from torchlint.config.mistakes import noted, told
from torchlint.config.settings import Config
from torchlint.config.toml import Document, parsed, read_bytes, read_toml, toml_document
from torchlint.errors import UsageError
from torchlint.present import is_file

_OWN_FILES = (".torchlint.toml", "torchlint.toml")
_PYPROJECT = "pyproject.toml"
_TABLE = ("tool", "torchlint")


def find_config(start: Path) -> Path | None:
    """Return the file that holds for a path: the nearest one up, in its folder our own before pyproject.toml."""
    start = start.absolute()
    folders = start.parents if is_file(start) else (start, *start.parents)
    return next((file for folder in folders if (file := config_in(folder)) is not None), None)


def config_in(folder: Path) -> Path | None:
    """Return the file of a folder that holds settings, our own before pyproject.toml."""
    return next(_candidates(folder), None)


def load_config(file: Path, nearer: Sequence[Layer] = ()) -> Config:
    """Return the settings of a file and of those that it extends; every mistake in one is told, each where it stands.

    What the layers of `nearer` settle goes before what files do.
    """
    return merged((*_layers(file), *nearer), file.absolute().parent, file)


def inline_layer(text: str, root: Path) -> Layer:
    """Return what a line such as `min-confidence = "high"` settles."""
    try:
        document = toml_document("--config", text)
    except UsageError as error:
        tip = "  tip: a text is in quotes: --config 'fail-on = \"error\"'"
        raise UsageError(f"{error.lines[0]}\n{tip}") from None
    return _decoded(document, lambda document, mistakes: decode(Entry((), document.table, mistakes), root))


def _layers(file: Path, extending: tuple[Path, ...] = ()) -> Iterator[Layer]:
    """Yield what a file settles, and before it what those do that it extends."""
    layer = _decoded(
        read_toml(file),
        lambda document, mistakes: decode(_table(document, file, mistakes), file.absolute().parent, file, extending),
    )
    if layer.extend is not None:
        yield from _layers(layer.extend, (*extending, file))
    yield layer


def _decoded(document: Document, layer_of: Callable[[Document, list[Mistake]], Layer]) -> Layer:
    mistakes: list[Mistake] = []
    layer = layer_of(document, mistakes)
    if wrong := [one for one in mistakes if not one.is_note]:
        raise UsageError(told(document, wrong))
    return replace(layer, notes=tuple(noted(document, one) for one in mistakes)) if mistakes else layer


def _candidates(folder: Path) -> Iterator[Path]:
    yield from (file for name in _OWN_FILES if is_file(file := folder / name))
    pyproject = folder / _PYPROJECT
    if is_file(pyproject) and _speaks_of_us(read_bytes(pyproject)):
        yield pyproject


def _speaks_of_us(data: bytes) -> bool:
    """Tell whether a pyproject.toml has our table, or may have meant to: what cannot be read is told when loaded."""
    if _TABLE[-1].encode() not in data:
        return False
    try:
        tool = parsed(data.decode("utf-8-sig")).get("tool")
    except (ValueError, RecursionError):
        return True
    return isinstance(tool, dict) and _TABLE[-1] in tool


def _table(document: Document, file: Path, mistakes: list[Mistake]) -> Entry:
    """Return the table that holds the settings: of our own files, the whole."""
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
