"""Tests that let a round of a loop inside the step through: `for k in range(len(batch)): if k == 0: …`.

Such a loop restarts with every step, so that every step has its first and last iteration. So does one in a method of a
module, such as `forward`, that passes on the index of its iteration: `[self.cell(x, k) for k in range(5)]`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.place import Caller, Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Instance
from torchlint.syntax.around import class_around
from torchlint.syntax.exits import loops_of
from torchlint.syntax.walk import COMPREHENSIONS, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Parameter, Scope


def comes_with_each_run(ev: Evaluator, test: Place, holds: bool, until: ast.stmt | None) -> bool:
    """Tell whether a test holds at least once in each run of a loop inside the loop `until`.

    Without that, the loop is inside the function that runs at every step.
    """
    match test.expression:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return comes_with_each_run(ev, test.at(operand), not holds, until)
        case ast.BinOp(left=ast.Name(id=name), op=ast.Mod()):
            return not holds and _counted_to(ev, test, name, until) is not None
        case ast.Name(id=name):
            return not holds and _counted_to(ev, test, name, until) is not None
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _is_met(ev, test, left, op, right, holds, until)
        case _:
            return False


def _is_met(
    ev: Evaluator, test: Place, left: ast.expr, op: ast.cmpop, right: ast.expr, holds: bool, until: ast.stmt | None
) -> bool:
    """Tell whether a comparison holds in the first iteration, or in the last: `k == 0`, `k % 4 == 0`, `k == n - 1`."""
    counted = left.left if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) else left
    is_equal = isinstance(op, ast.Eq) if holds else isinstance(op, ast.NotEq)
    is_below = isinstance(op, (ast.Lt, ast.LtE)) if holds else isinstance(op, (ast.Gt, ast.GtE))
    if not isinstance(counted, ast.Name) or not (is_equal or is_below):
        return False
    if (stop := _counted_to(ev, test, counted.id, until)) is None:
        return False
    match right:
        case ast.Constant(value=int() as number):
            return number == 0 if is_equal else number > 0
        case ast.BinOp(left=last, op=ast.Sub(), right=ast.Constant(value=1)) if counted is left and is_equal:
            return stop == written(last)
        case _:
            return False


def _counted_to(ev: Evaluator, test: Place, name: str, until: ast.stmt | None) -> str | None:
    """Return the end to which a name counts iterations from zero, in a loop that starts again at every step.

    That is an empty text if callers count, with names of their own; None if it does not count, or is unknown.
    """
    if (stop := _counting_around(test, name, until)) is not None:
        return stop
    return "" if _is_passed_counted(ev, test.file, test.scope, name) else None


@tabled(False)
def _is_passed_counted(ev: Evaluator, file: ParsedFile, scope: Scope, name: str) -> bool:
    """Tell whether every call of a function passes the number of an iteration in the `forward` of a module."""
    parameter = next((one for one in scope.parameters if one.name == name), None)
    if parameter is None or len(scope.bindings[name]) > 1:
        return False
    function = Function(file, scope)
    callers = (*ev.callers(function), *object_callers_of(ev, function))
    return bool(callers) and all(_passes_counted(ev, caller, parameter) for caller in callers)


def _passes_counted(ev: Evaluator, caller: Caller, parameter: Parameter) -> bool:
    match caller.argument(parameter):
        case (Place(expression=ast.Name(id=name)) as place,):
            is_counted = _counting_around(place, name, None) is not None and _is_within_module(ev, place)
            return is_counted or _is_passed_counted(ev, place.file, place.scope, name)
        case _:
            return False


def _is_within_module(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place is in `forward`, or in another method of a module that trains nothing itself."""
    kind = class_around(place)
    if place.scope.name == "forward" or kind is None:
        return place.scope.name == "forward"
    is_of_module = is_module(ev, Instance(Class(place.file, kind)))
    return is_of_module and not any(True for _ in place.file.calls_of(place.scope, "backward"))


def _counting_around(test: Place, name: str, until: ast.stmt | None) -> str | None:
    stop = _comprehension_counting(test, name)
    return stop if stop is not None else _loop_counting(test, name, until)


def _comprehension_counting(test: Place, name: str) -> str | None:
    """Return the end to which a comprehension around a test counts a name from zero."""
    parents = test.file.parents_in(test.statement)
    around: ast.AST | None = test.expression
    while around is not None:
        for generator in around.generators if isinstance(around, COMPREHENSIONS) else ():
            if (stop := _stop(generator, name)) is not None:
                return stop
        around = parents.get(around)
    return None


def _loop_counting(test: Place, name: str, until: ast.stmt | None) -> str | None:
    """Return the end to which the loop around a test counts from zero if it starts again at every step, else None.

    A name that the loop's body binds as well may hold anything.
    """
    for loop in loops_of(test.file.index, test.statement):
        if loop is until:
            return None
        if isinstance(loop, ast.For) and (stop := _stop(loop, name)) is not None:
            inside = (
                one for one in test.scope.bindings.get(name, ()) if test.file.index.is_in_body(one.statement, loop)
            )
            return stop if all(one.statement is loop for one in inside) else None
    return None


def _stop(loop: ast.For | ast.comprehension, name: str) -> str | None:
    """Return the end to which a loop counts a name from zero: `n` of `range(n)`, `len(xs)` of `enumerate(xs)`."""
    match loop.target, loop.iter:
        case ast.Name(id=found), ast.Call(func=ast.Name(id="range"), args=arguments) if found == name:
            return _stop_of_range(arguments)
        case (
            ast.Tuple(elts=[ast.Name(id=found), _]),
            ast.Call(func=ast.Name(id="enumerate"), args=[counted], keywords=[]),
        ) if found == name:
            return f"len({written(counted)})"
        case _:
            return None


def _stop_of_range(arguments: list[ast.expr]) -> str | None:
    """Return how far a range goes from zero: an empty text where it has a step, whose last value is unknown."""
    match arguments:
        case [stop] | [ast.Constant(value=0), stop]:
            return written(stop)
        case [ast.Constant(value=0), _, _]:
            return ""
        case _:
            return None
