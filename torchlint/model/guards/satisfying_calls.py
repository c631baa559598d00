"""Calls that satisfy a function's only undecided test: with a constant, a default, or options of their own."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from torchlint.inference.limits import FRAME_DEPTH
from torchlint.model.guards.undecided_tests import is_device_choice
from torchlint.model.place import Place
from torchlint.model.values.frames import frame_for
from torchlint.model.values.value_sets import Function
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Caller
    from torchlint.syntax.scope import Parameter


def satisfying_calls(ev: Evaluator, tests: list[tuple[Place, bool]]) -> Iterator[Place]:
    """Yield the calls that satisfy the only test: with a constant or a parameter's default, or options of their own."""
    test, holds = tests[0]
    if len(tests) > 1:
        return
    function = Function(test.file, test.scope)
    match test.expression:
        case ast.Name(id=name) if parameter := _parameter(ev, test, name):
            lets_by = partial(_passes_constant, ev, test, holds, parameter)
        case ast.Attribute(value=ast.Name(id=name)) if _parameter(ev, test, name):
            lets_by = partial(_passes_options, ev, test, holds, function)
        case _:
            return
    for caller in ev.callers(function):
        if caller.place.scope is not test.scope and lets_by(caller):
            yield caller.place


def _parameter(ev: Evaluator, test: Place, name: str) -> Parameter | None:
    """Return the parameter of a function that a name in a test refers to."""
    parameter = next((one for one in test.scope.parameters if one.name == name), None)
    bindings = test.scope.bindings.get(name, ())
    if parameter is None or len(bindings) < 2:
        return parameter
    found = reaching(test.file.index, bindings, test.statement, ev.decide(test))
    return parameter if [one.kind for one in found.definitions] == ["parameter"] else None


def _passes_constant(ev: Evaluator, test: Place, holds: bool, parameter: Parameter, caller: Caller) -> bool:
    """Tell whether a call satisfies a test with a constant: one that it passes, or a parameter's default."""
    match caller.argument(parameter), parameter.default, test.scope.node:
        case (), ast.expr() as default, ast.stmt() as definition:
            return ev.truth(Place(test.file, default, definition)) is holds
        case (Place(expression=ast.Constant(value=value)),), _, _:
            return bool(value) is holds
        case _:
            return False


def _passes_options(ev: Evaluator, test: Place, holds: bool, function: Function, caller: Caller) -> bool:
    """Tell whether a call passes the options of one program, whose defaults satisfy the test."""
    frame = frame_for(caller.place, function, FRAME_DEPTH) if isinstance(caller.place.expression, ast.Call) else None
    at = test.within(frame)
    return frame is not None and ev.truth(at) is holds and not is_device_choice(ev, at, holds, {})
