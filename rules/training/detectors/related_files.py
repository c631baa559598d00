"""Which files may belong to one program: an import in one of them names the other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import ParsedFile

_IMPORT = re.compile(r"^\s*(?:from|import)\b.*", re.MULTILINE)


def are_related(one: ParsedFile, other: ParsedFile) -> bool:
    """Tell whether two files are the same, or either imports a name of the other."""
    return one is other or _names(one, other) or _names(other, one)


def calls_of_program(files: Collection[ParsedFile], calls: Iterable[Call]) -> Iterator[Call]:
    """Yield those of several calls that are in files which may belong to one program with one of some others."""
    asked: dict[ParsedFile, bool] = {}
    for call in calls:
        if call.file not in asked:
            asked[call.file] = any(are_related(call.file, file) for file in files)
        if asked[call.file]:
            yield call


def _names(one: ParsedFile, other: ParsedFile) -> bool:
    imported = {word for line in _IMPORT.findall(one.code) for word in re.findall(r"\w+", line)}
    return not imported.isdisjoint(other.words)
