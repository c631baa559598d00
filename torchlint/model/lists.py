"""Lists and dicts that start empty and are filled in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.walk import written

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile

_MOST = 4


def added_to(place: Place) -> Iterator[tuple[Place, bool]]:
    """Yield what is appended to a list where it is kept by one name, and whether the whole of it is taken over.

    `place` is where the list was written: `losses = []`, `self.losses = []`.
    """
    name = kept_as(place)
    if name is None:
        return
    for method in ("append", "insert", "extend"):
        found = 0
        for call, statement in place.file.index.calls(method):
            if found < _MOST and _is_on(place.file, call, statement, name, place) and call.args:
                found += 1
                yield Place(place.file, call.args[-1], statement, place.frame, place.given), method == "extend"


def kept_as(place: Place) -> str | None:
    """Return the name or attribute that a container is assigned to where it is written, as text."""
    match place.statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if value is place.expression:
            return written(target)
        case _:
            return None


def _is_on(file: SourceFile, call: ast.Call, statement: ast.stmt, name: str, place: Place) -> bool:
    """Tell whether a method call is one of the list: the same name in the same function, or in the same class."""
    if not isinstance(call.func, ast.Attribute) or written(call.func.value) != name:
        return False
    here, there = file.index.home[statement][0].scope, place.scope
    return here is there or ("." in name and here.outer is there.outer)
