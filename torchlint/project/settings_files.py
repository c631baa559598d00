"""The files of settings of a project: which of their entries have the same value in all of them.

A program that is given the path of its settings may read any of them. What all of these agree on is how the project is
run: `use_gpu: false`. Only truth values and the name of the CPU are read; numbers and other names are chosen freely.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from torchlint.files.regular import read_regular
from torchlint.project.yaml_mappings import Mapping, yaml_mapping

if TYPE_CHECKING:
    from torchlint.project.text_index import TextIndex

JSON = (".json",)
YAML = (".yaml", ".yml")
# Settings are short; data and the results of experiments are long, or many.
_LARGEST = 64 << 10
_MOST_FILES = 200
_HOST = "cpu"

Setting: TypeAlias = "bool | str | Settings"
Settings: TypeAlias = "dict[str, Setting]"


def agreed_settings(library: TextIndex, suffixes: tuple[str, ...], name: str) -> Settings:
    """Return what the files of a kind, or only those of a name, agree on; nothing if one of them cannot be read."""
    read: list[Mapping] = []
    for path in _files(library.folders_outside, suffixes, name):
        found = _mapping_in(path)
        if found is None or len(read) == _MOST_FILES:
            return {}
        read.append(found)
    return _agreed(read)


def _files(folders: Iterable[str], suffixes: tuple[str, ...], name: str) -> Iterator[Path]:
    for folder in sorted(folders):
        for entry in sorted(_names_in(folder)):
            if entry.endswith(suffixes) and (not name or entry == name):
                yield Path(folder, entry)


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 -- names alone
    except OSError:
        return []


def _mapping_in(path: Path) -> Mapping | None:
    """Return the mapping in a file, empty for what is none or too large for settings; None if it is not understood."""
    try:
        text = read_regular(path, _LARGEST).decode()
        if path.name.endswith(YAML):
            return yaml_mapping(text)
        found = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _agreed(read: list[Mapping]) -> Settings:
    agreed: Settings = {}
    for key in dict.fromkeys(key for one in read for key in one):
        value = _one_value([one[key] for one in read if key in one])
        if value is not None:
            agreed[key] = value
    return agreed


def _one_value(values: list[object]) -> Setting | None:
    """Return the value that an entry has in all files, None if they differ or it is one that is not read."""
    inner = [one for one in values if isinstance(one, dict)]
    if len(inner) == len(values):
        return _agreed(inner) or None
    of_bool = [one for one in values if isinstance(one, bool)]
    if len(of_bool) == len(values) and len(set(of_bool)) == 1:
        return of_bool[0]
    return _HOST if all(one == _HOST for one in values) else None
