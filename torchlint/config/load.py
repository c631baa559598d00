"""Find the configuration of a project, and load it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from torchlint.config.entry import Entry, Mistake
from torchlint.config.fields import decode
from torchlint.config.mistakes import told
from torchlint.config.settings import Config
from torchlint.config.toml import Document, parsed, read_bytes, read_toml
from torchlint.errors import UsageError

_OWN_FILES = (".torchlint.toml", "torchlint.toml")
_PYPROJECT = "pyproject.toml"
_TABLE = ("tool", "torchlint")


def find_config(start: Path) -> Path | None:
    """Return the file that holds for a path: the nearest one up, in its folder our own before pyproject.toml."""
    start = start.absolute()
    folders = start.parents if start.is_file() else (start, *start.parents)
    return next((file for folder in folders if (file := config_in(folder)) is not None), None)


def config_in(folder: Path) -> Path | None:
    """Return the file of a folder that holds settings, our own before pyproject.toml."""
    return next(_candidates(folder), None)


def load_config(file: Path) -> Config:
    """Return the settings of a file; every mistake in it is told at once, each where it stands."""
    document = read_toml(file)
    mistakes: list[Mistake] = []
    config = decode(_table(document, file, mistakes), file)
    if mistakes:
        raise UsageError(told(document, mistakes))
    return config


def _candidates(folder: Path) -> Iterator[Path]:
    yield from (file for name in _OWN_FILES if (file := folder / name).is_file())
    pyproject = folder / _PYPROJECT
    if pyproject.is_file() and _speaks_of_us(read_bytes(pyproject)):
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
