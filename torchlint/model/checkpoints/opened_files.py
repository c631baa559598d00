"""The path that a file was opened with: `path` of `f` in `with open(path, "rb") as f:`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def path_opened(ev: Evaluator, file: Place) -> Place:
    """Return the path of an opened file, or the place itself if it is not known to be one."""
    opening = _bound_by(ev, file) if isinstance(file.expression, ast.Name) else file
    if opening is None:
        return file
    match opening.expression:
        case ast.Call(func=ast.Name(id="open"), args=[path, *_]):
            return opening.at(path)
        case ast.Call(func=ast.Attribute(value=path, attr="open"), args=[] | [ast.Constant(value=str()), *_]):
            # `path.open("rb")`; `gzip.open("a.pt", "rb")` is a function of a module.
            return file if opening.at(path).names else opening.at(path)
        case _:
            return file


def _bound_by(ev: Evaluator, name: Place) -> Place | None:
    """Return the only value that a name may have been assigned, or a `with` statement may have entered."""
    assert isinstance(name.expression, ast.Name)
    bindings = name.scope.bindings.get(name.expression.id, ())
    if not any(one.kind in {"assign", "enter"} for one in bindings):
        return None
    found = reaching(name.file.index, bindings, name.statement, ev.decide(name)).definitions
    if len(found) != 1 or found[0].kind not in {"assign", "enter"} or found[0].value is None or found[0].selector:
        return None
    return Place(name.file, found[0].value, found[0].statement, name.frame, name.given)
