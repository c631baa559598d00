"""Tests that fail unless an option is set, and keep a place from running by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.guards.along_paths import AlongPaths, PathContext
from torchlint.model.guards.counting import truth_of_value
from torchlint.model.guards.truth import compared_with
from torchlint.model.options.option_calls import DECLARING
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Function, Possibility, Unknown, Value, ValueSet
from torchlint.syntax.dominating_conditions import Condition, Iteration
from torchlint.syntax.facts import atoms
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.scope import Parameter

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# `kwargs.get("perturb", False)`, `getattr(args, "perturb", False)`: the default is an argument of them all.
_WITH_DEFAULT = frozenset({*DECLARING, "get", "pop", "setdefault", "getattr"})


def off_by_default(ev: Evaluator, place: Place) -> Place | None:
    """Return a test on the path to a place that fails by default, within its function: a caller or user may set it.

    What a program sets itself, anywhere in view, is no default, and a test that is decided is no question.
    """
    return next(iter(_off(ev, place)), None)


def _fails_by_default(ev: Evaluator, context: PathContext, guard: Condition | Iteration) -> tuple[Place, ...]:
    if not isinstance(guard, Condition):
        return ()
    file, frame, given, _ = context
    singles = ((Place(file, part, guard.statement, frame, given), out) for part, out in atoms(guard.test, guard.holds))
    return tuple(test for test, holds in singles if _is_off(ev, test, holds))


_off = AlongPaths(_fails_by_default, most=1)


def _is_off(ev: Evaluator, test: Place, holds: bool) -> bool:
    match test.expression:
        case ast.Compare(left=left, ops=[_], comparators=[_]):
            asked = test.at(left)
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
            asked = test
        case _:
            return False
    possible = ev.evaluate(asked)
    values = [one for one in possible if not isinstance(one.value, Unknown)]
    if len(values) == len(possible):
        return False
    # `Loss(**config)` may pass any of the parameters, and leave any.
    defaults = values or _declared(ev, asked)
    given = [one for place in _given(ev, asked) for one in ev.evaluate(place) if not isinstance(one.value, Unknown)]
    fails = all(_outcome(test, one.value) is (not holds) for one in (*defaults, *given))
    return bool(defaults) and fails and all(map(_is_default, defaults))


def _parameter(asked: Place) -> Parameter | None:
    """Return the parameter that a name is, if nothing else is bound to it."""
    name = asked.expression.id if isinstance(asked.expression, ast.Name) else ""
    is_bound_once = len(asked.scope.bindings.get(name, ())) == 1
    return next((one for one in asked.scope.parameters if one.name == name and is_bound_once), None)


def _declared(ev: Evaluator, asked: Place) -> ValueSet:
    """Return the default of the parameter that a name is."""
    parameter, function = _parameter(asked), asked.scope.node
    if parameter is None or parameter.default is None or not isinstance(function, ast.stmt):
        return ()
    return ev.evaluate(Place(asked.file, parameter.default, function))


def _given(ev: Evaluator, asked: Place) -> Iterator[Place]:
    """Yield what the calls of an object pass for the parameter that a name is."""
    parameter = _parameter(asked)
    function = Function(asked.file, asked.scope)
    for caller in object_callers_of(ev, function) if parameter is not None else ():
        yield from (parameter is not None and caller.argument(parameter)) or ()


def _outcome(test: Place, value: Value) -> bool | None:
    match test.expression:
        case ast.Compare(ops=[op], comparators=[other]):
            return compared_with(value, op, other)
        case _:
            return truth_of_value(value)


def _is_default(one: Possibility) -> bool:
    """Tell whether a value is the default of a parameter, an option, or a key of a mapping."""
    if (origin := one.origin) is None:
        return False
    if isinstance(origin.statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return True
    parents = origin.file.parents_in(origin.statement)
    around: ast.AST | None = origin.expression
    while around is not None:
        if isinstance(around, ast.Call) and callee_name(around) in _WITH_DEFAULT:
            return True
        around = parents.get(around)
    return False
