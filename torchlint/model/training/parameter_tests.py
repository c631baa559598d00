"""Dominating conditions that read a parameter: whether the arguments of a call let a place run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.guards.along_paths import AlongPaths, PathContext
from torchlint.model.place import Caller, Place
from torchlint.syntax.arguments import has_star
from torchlint.syntax.dominating_conditions import Condition, Iteration
from torchlint.syntax.facts import atoms
from torchlint.syntax.walk import names_under, walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.values.value_sets import Frame
    from torchlint.syntax.scope import Scope


def lets_run(ev: Evaluator, place: Place, frame: Frame | None) -> bool:
    """Tell whether no dominating condition of a place that reads a parameter fails, or is for one left out."""
    return frame is None or not _against(ev, _in_frame(place, frame))


def tests_of_parameters(ev: Evaluator, place: Place) -> tuple[Condition, ...]:
    """Return the dominating conditions of a place that read a parameter, innermost first."""
    return _of_parameters(ev, _in_frame(place, None))


def _in_frame(place: Place, frame: Frame | None) -> Place:
    """Return a place reached by a call alone, without other assumptions."""
    return Place(place.file, place.expression, place.statement, frame)


def _reading_parameters(_: Evaluator, context: PathContext, guard: Condition | Iteration) -> tuple[Condition, ...]:
    scope = context.file.index.home[guard.statement][0].scope
    return (guard,) if isinstance(guard, Condition) and _reads_a_parameter(scope, guard.test) else ()


def _coming_out_against(ev: Evaluator, context: PathContext, guard: Condition | Iteration) -> tuple[Condition, ...]:
    frame = context.frame
    assert frame is not None
    return tuple(
        one
        for one in _reading_parameters(ev, context, guard)
        if _comes_out_against(ev, Place(context.file, one.test, one.statement, frame), one, frame)
    )


_of_parameters = AlongPaths(_reading_parameters)
_against = AlongPaths(_coming_out_against, most=1)


def _comes_out_against(ev: Evaluator, at: Place, test: Condition, frame: Frame) -> bool:
    outcome = ev.truth(at)
    if outcome is None:
        return any(_is_filled_by_star(frame, name) for name in _found_none(test))
    return outcome is not test.holds


def _found_none(condition: Condition) -> Iterator[str]:
    """Yield the names that are None, or false, if a test has its outcome."""
    for test, holds in atoms(condition.test, condition.holds):
        match test:
            case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=None)]):
                if isinstance(op, (ast.Is, ast.Eq)) is holds:
                    yield name
            case ast.Name(id=name) if not holds:
                yield name


def _is_filled_by_star(frame: Frame, name: str) -> bool:
    """Tell whether `net(*batch)` may pass a parameter, here or in callers: then it counts as passed."""
    if frame.call is None or isinstance(frame.function, ast.Lambda):
        return False
    parameter = next((one for one in frame.function.parameters if one.name == name), None)
    if parameter is None:
        return False
    passed = Caller.of_frame(frame, frame.call).argument(parameter)
    if passed is None:
        call = frame.call.expression
        return parameter.position is not None and isinstance(call, ast.Call) and has_star(call.args)
    handed_on = [one.expression.id for one in passed if isinstance(one.expression, ast.Name)]
    return frame.outer is not None and any(_is_filled_by_star(frame.outer, name) for name in handed_on)


def _reads_a_parameter(scope: Scope, test: ast.expr) -> bool:
    """Tell whether a test reads a parameter, or an item of `**kwargs`."""
    names = {parameter.name for parameter in scope.parameters}
    collecting = {parameter.name for parameter in scope.parameters if parameter.star == "**"}
    read = names_under(test)
    return bool(read & names) or (bool(collecting) and any(_is_taken_from(scope, name, collecting) for name in read))


def _is_taken_from(scope: Scope, name: str, mappings: set[str]) -> bool:
    bindings = (one.value for one in scope.bindings.get(name, ()) if one.value is not None)
    return any(isinstance(node, ast.Name) and node.id in mappings for value in bindings for node in walk(value))
