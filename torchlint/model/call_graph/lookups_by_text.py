"""Where functions are looked up by names that are put together: `getattr(starting, "init_%s" % launcher)`.

Which of them a run takes nobody says, so that they have no callers; but whoever takes one comes past this.
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
    """Yield where a name that begins as a function's does is looked up on what has the function."""
    beginnings, library = _beginnings(function.scope.name), ev.project.library
    paths = {path for beginning in beginnings for path in library.holding(beginning)}
    if function.scope.is_method and function.scope.name.startswith("_"):
        # By no more than that, an object looks up what is its own: `getattr(self, "_" + mode)`.
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
    """Yield the calls of what is looked up so, at once or by the name that it is given."""
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
    """Return what a name may begin with, as a word that a file holds: `init_`, `init_dist_`."""
    *parts, _ = name.split("_")
    return frozenset(one for one in accumulate(f"{part}_" for part in parts) if one.strip("_"))


def _beginning(text: ast.expr) -> str:
    """Return what a text begins with that is put together."""
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
