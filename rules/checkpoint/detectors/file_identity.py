"""Which file a path stands for: where the path is written, by all callers of the function that is given it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.checkpoints.checkpoint_names import file_name
from torchlint.model.place import Caller, Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.syntax.around import class_around, is_self

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Scope

NO_FILE: frozenset[str] = frozenset()
ANY_FILE = frozenset({"?"})
"""A file of unknown identity."""


@tabled(NO_FILE)
def files_of(ev: Evaluator, path: Place) -> frozenset[str]:
    """Return what tells the files apart that a path may stand for, `ANY_FILE` among them where that is open."""
    match path.expression:
        case ast.Name(id=name):
            return _of_name(ev, path, name)
        case ast.Attribute(value=owner, attr=attr):
            kind = class_around(path) if is_self(owner) else None
            return frozenset({f"{path.path}:{kind.name}.{attr}" if kind is not None else f"{path.path}:{path.code}"})
        case ast.Call(func=ast.Name(id="str" | "Path"), args=[inner]):
            return files_of(ev, path.at(inner))
        case ast.Call(func=ast.Attribute(attr="join"), args=[_, *_, last]) | ast.BinOp(op=ast.Div(), right=last):
            return files_of(ev, path.at(last))
        case _:
            called = file_name(ev, path)
            own = f"{path.path}:{path.scope.qualified_name}:{path.code}"
            return frozenset({f"={called}" if called is not None else own})


def _of_name(ev: Evaluator, path: Place, name: str) -> frozenset[str]:
    scope = path.scope.binder(name)
    if scope is None or len(scope.bindings[name]) > 1:
        return ANY_FILE
    bound = scope.bindings[name][0]
    match bound.kind:
        case "assign" if bound.value is not None and not bound.selector:
            return files_of(ev, Place(path.file, bound.value, bound.statement))
        case "parameter":
            return _passed(ev, path, scope, name)
        case _:
            return frozenset({f"{path.path}:{scope.qualified_name}:{name}"})


def _passed(ev: Evaluator, path: Place, scope: Scope, name: str) -> frozenset[str]:
    """Return the files that all callers of a function pass the paths of."""
    parameter = next(one for one in scope.parameters if one.name == name)
    callers = ev.callers(Function(path.file, scope))
    if not callers or len(callers) > MOST_CALLERS or parameter.star:
        return ANY_FILE
    return NO_FILE.union(*(_passed_by(ev, path, one, scope, name) for one in callers))


def _passed_by(ev: Evaluator, path: Place, caller: Caller, scope: Scope, name: str) -> frozenset[str]:
    parameter = next(one for one in scope.parameters if one.name == name)
    given = caller.argument(parameter)
    if given is None:
        return ANY_FILE
    if not given and parameter.default is not None:
        return files_of(ev, Place(path.file, parameter.default, scope.node))  # type: ignore[arg-type]
    return NO_FILE.union(*(files_of(ev, one) for one in given))
