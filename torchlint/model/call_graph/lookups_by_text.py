"""Where functions are looked up by computed names: `getattr(starting, "init_%s" % launcher)`.

Which of them a run calls is unknown, so that they have no callers; but each of their calls passes such a place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Function

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def lookups_of(ev: Evaluator, function: Function) -> Iterator[Place]:
    """Yield where a name with the same beginning is looked up on the owner of a function."""
    beginnings, library = _beginnings(function.scope.name), ev.project.library
    paths = {path for beginning in beginnings for path in library.holding(beginning)}
    if function.scope.is_method and function.scope.name.startswith("_"):
        # With no longer prefix, an object looks up only its own attributes: `getattr(self, "_" + mode)`.
        beginnings, paths = beginnings | {"_"}, paths | {function.file.location}
    for path in sorted(paths & set(library.holding("getattr("))) if paths else ():
        if (file := ev.project.parsed(path)) is None:
            continue
        for call, statement in file.index.calls("getattr"):
            place = Place(file, call, statement)
            owner, *names = call.args or [call]
            if names and _beginning(names[0]) in beginnings and _has(ev, place.at(owner), function):
                yield place


def called_by_text(ev: Evaluator, function: Function) -> Iterator[Place]:
    """Yield the calls of the functions looked up, directly or by the name that one is bound to."""
    for lookup in lookups_of(ev, function):
        around = lookup.file.parents_in(lookup.statement).get(lookup.expression)
        if isinstance(around, ast.Call) and around.func is lookup.expression:
            yield lookup.at(around)
        for name in lookup.bound_to:
            for call, statement in lookup.file.index.calls(name):
                place = Place(lookup.file, call, statement)
                if isinstance(call.func, ast.Name) and place.scope is lookup.scope:
                    yield place


def _beginnings(name: str) -> frozenset[str]:
    """Return the prefixes of a name that end in an underscore, as words of a file: `init_`, `init_dist_`."""
    *parts, _ = name.split("_")
    return frozenset(one for one in accumulate(f"{part}_" for part in parts) if one.strip("_"))


def _beginning(text: ast.expr) -> str:
    """Return the constant beginning of a composed text."""
    match text:
        case (
            ast.JoinedStr(values=[ast.Constant(value=str(first)), _, *_])
            | ast.BinOp(op=ast.Add(), left=ast.Constant(value=str(first)))
        ):
            return first
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str(whole))):
            return whole.partition("%")[0]
        case ast.BinOp(op=ast.Add(), left=left):
            return _beginning(left)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(whole)), attr="format")):
            return whole.partition("{")[0]
        case _:
            return ""


def _has(ev: Evaluator, owner: Place, function: Function) -> bool:
    found = (ev.attribute(owner, one, function.scope.name) for one in ev.evaluate(owner))
    values = (one.value for possible in found for one in possible)
    return any(isinstance(value, Function) and value.scope is function.scope for value in values)
