"""What functions of the project return and yield."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.containers.displays import elements_of
from torchlint.model.guards.path_conditions import facts_for_others
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import Frame, Function, Generated, Literal, Possibility, Tensor, ValueSet, known
from torchlint.syntax.facts import NOTHING_GIVEN, Given

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def returned(ev: Evaluator, function: Function, frame: Frame | None) -> ValueSet:
    """Return what the reachable `return`s of a function return; None if it has none."""
    if not function.scope.returns:
        return known(Literal(None))
    found = []
    given = _known_at_call(function, frame)
    for statement in function.scope.returns:
        place = Place(function.file, statement.value or ast.Constant(None), statement, frame, given)
        if is_reachable(ev, place):
            found.append(_as_refilled(place, ev.evaluate(place)) if statement.value else known(Literal(None)))
    return either(*found)


def _known_at_call(function: Function, frame: Frame | None) -> Given:
    """Return the conditions about options that hold at the call of a function, if it reads such options."""
    call = frame.call if frame is not None and function.scope is frame.function else None
    if call is None:
        return NOTHING_GIVEN
    return facts_for_others(call, function.file, of_same_object=False, entered=function.scope)


def _as_refilled(place: Place, possible: ValueSet) -> ValueSet:
    """Return what is returned of a batch whose items a function replaced: the device of its tensors is then unknown."""
    if not isinstance(place.expression, ast.Name) or not _is_refilled(place, place.expression.id):
        return possible
    return tuple(
        Possibility(replace(one.value, device=None), one.origin, one.story) if isinstance(one.value, Tensor) else one
        for one in possible
    )


def _is_refilled(place: Place, name: str) -> bool:
    """Tell whether a function assigns to keys of what it returns, which so is a mapping."""
    keys = [store.key for store in place.file.stores.items_in(place.scope, name)]
    if any(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys):
        return True
    asked = ("update", "items", "keys") if keys else ("update",)
    calls = (Place(place.file, call, statement) for one in asked for call, statement in place.file.index.calls(one))
    return any(call.scope is place.scope and call.code.startswith(f"{name}.") for call in calls)


def generated(ev: Evaluator, generator: Generated) -> ValueSet:
    """Return what a generator function's `yield`s yield."""
    found = []
    for node, statement in generator.function.scope.yields:
        if node.value is None:
            continue
        place = Place(generator.function.file, node.value, statement, generator.frame)
        value = ev.evaluate(place)
        found.append(elements_of(ev, value) if isinstance(node, ast.YieldFrom) else value)
    return either(*found)
