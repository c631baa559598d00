"""Find the configuration of a project, and load it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from torchlint.config.layer import Layer, merged
from torchlint.config.settings import Config
from torchlint.config.toml import parsed, read_bytes
from torchlint.files.existence import is_file, is_folder, is_present

_OWN_FILES = (".torchlint.toml", "torchlint.toml")
_PYPROJECT = "pyproject.toml"
_TABLE = "torchlint"


def find_config(start: Path) -> Path | None:
    """Return the configuration of a path: the nearest file up, in one folder our own before pyproject.toml."""
    start = start.absolute()
    folders = start.parents if is_file(start) else (start, *start.parents)
    return next((file for folder in folders if (file := config_in(folder)) is not None), None)


def config_in(folder: Path) -> Path | None:
    """Return the file of a folder that has settings, our own before pyproject.toml."""
    return next(_candidates(folder), None)


def load_config(file: Path, nearer: Sequence[Layer] = ()) -> Config:
    """Return the settings of a file and of those that it extends; every mistake is reported, each at its position.

    The layers of `nearer` override those of files.
    """
    return merged((*_layers(file), *nearer), file.absolute().parent, file)


def _layers(file: Path, extending: tuple[Path, ...] = ()) -> Iterator[Layer]:
    """Yield the settings of a file, after those of the files that it extends."""
    # Most projects have no settings, and decoding them takes long to import.
    from torchlint.config.reading import file_layer

    layer = file_layer(file, extending)
    if layer.extend is not None:
        yield from _layers(layer.extend, (*extending, file))
    yield layer


def _candidates(folder: Path) -> Iterator[Path]:
    yield from (file for name in _OWN_FILES if _is_there(file := folder / name))
    pyproject = folder / _PYPROJECT
    if _is_there(pyproject) and _speaks_of_us(read_bytes(pyproject)):
        yield pyproject


def _is_there(file: Path) -> bool:
    """Tell whether there is something other than a folder; reading it reports what it is."""
    return is_present(file) and not is_folder(file)


def _speaks_of_us(data: bytes) -> bool:
    """Tell whether a pyproject.toml has our table, or may be meant to: a mistake in it is reported when loaded."""
    if _TABLE.encode() not in data:
        return False
    try:
        tool = parsed(data.decode("utf-8-sig")).get("tool")
    except (ValueError, RecursionError):
        return True
    return isinstance(tool, dict) and _TABLE in tool
