"""Files that are read after they were written: by the function itself, or by all its callers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.pytorch.symbols import SAVE
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Caller


@tabled(False)
def is_written_before(ev: Evaluator, read: Place, path: str) -> bool:
    """Tell whether every path to a place saves a file before it, to a path that is written as `path` there."""
    if _is_saved_above(read, path):
        return True
    if read.scope.kind != "function":
        return False
    callers = ev.callers(Function(read.file, read.scope))
    paths = [_passed(read, caller, path) for caller in callers]
    return bool(callers) and all(
        passed is not None and is_written_before(ev, caller.place, passed)
        for caller, passed in zip(callers, paths, strict=True)
    )


def _is_saved_above(read: Place, path: str) -> bool:
    for call, statement in read.file.index.calls("save"):
        place = Place(read.file, call, statement)
        if place.scope is not read.scope or call.lineno >= read.line or len(call.args) < 2:
            continue
        if written(call.args[1]) == path and SAVE in place.at(call.func).names:
            return True
    return False


def _passed(read: Place, caller: Caller, path: str) -> str | None:
    """Return how a caller writes a path, `config.path` or `"best.pt"`; None if it may be another one."""
    node = ast.parse(path, mode="eval").body
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, (ast.Name, ast.Constant)):
        return None
    if isinstance(root, ast.Constant) or root.id not in read.scope.bindings:
        return path if caller.place.file is read.file else None
    parameter = next((one for one in read.scope.parameters if one.name == root.id), None)
    passed = caller.argument(parameter) if parameter is not None and len(read.scope.bindings[root.id]) == 1 else None
    return written(passed[0].expression) + path[len(root.id) :] if passed is not None and len(passed) == 1 else None
