"""Modules that a function is passed and calls: `compute_loss(model, batch)`, `criterion(batch, model)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.calls import Call
from torchlint.model.values.tabled import tabled

from .always_recording import is_left_recording

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.values.value_sets import Function


def is_run_by_callee(ev: Evaluator, call: Call, names: frozenset[str]) -> bool:
    """Tell whether a call passes a module to functions that call it, and leave recording as it is."""
    positions = [position for position, one in enumerate(call.arguments) if one.code in names]
    keywords = [keyword for keyword, one in call.keywords.items() if one.code in names]
    if len(positions) + len(keywords) != 1 or call.is_open:
        return False
    functions = list(callees_of(ev, call))
    return bool(functions) and all(_runs_parameter(ev, one, _name_in(one, positions, keywords)) for one in functions)


def _name_in(function: Function, positions: list[int], keywords: list[str]) -> str:
    """Return the name of the parameter that gets what is passed by position or keyword."""
    if keywords:
        return keywords[0]
    parameters = function.scope.parameters[function.scope.is_method :]
    return parameters[positions[0]].name if positions[0] < len(parameters) else ""


@tabled(False)
def _runs_parameter(ev: Evaluator, function: Function, name: str) -> bool:
    """Tell whether a function calls what a parameter gets, or passes it on to one that does, and always records."""
    calls = [Call(function.file, call, at) for call, at in function.file.calls_in_scope(function.scope)]
    called = [one for one in calls if one.callee.code == name]
    called = called or [one for one in calls if is_run_by_callee(ev, one, frozenset({name}))]
    return bool(called) and all(is_left_recording(ev, one) for one in called)
