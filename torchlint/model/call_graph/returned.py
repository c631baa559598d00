"""Nested functions that the function around returns, and which its callers call by other names.

`step = make_step(net)` makes `step(x)` a call of the function that `make_step` defines and returns.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Caller, Place
from torchlint.model.values.value_sets import Function
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def names_of_returned(ev: Evaluator, function: Function) -> frozenset[str]:
    """Return the last names that callers of the function around give a function that it returns."""
    return frozenset(name.rpartition(".")[2] for place in _making(ev, function) for name in place.bound_to)


def calls_of_returned(ev: Evaluator, function: Function) -> Iterator[Caller]:
    """Yield the calls of a returned function where it is returned: `make_step(net)(x)`."""
    for made in _making(ev, function):
        call = _around(made)
        if isinstance(call, ast.Call) and call.func is made.expression:
            yield Caller.of_call(made.at(call), 0)


def _making(ev: Evaluator, function: Function) -> tuple[Place, ...]:
    """Return the calls of the function that defines and returns a function, none if one passes it on.

    What it is passed to may call it anywhere: `trainer.extend(make_step(net))`.
    """
    outer = function.scope.outer
    if outer is None or outer.kind != "function" or not _is_returned(function):
        return ()
    callers = ev.callers(Function(function.file, outer))
    made = tuple(one.place for one in callers if isinstance(one.place.expression, ast.Call))
    return () if any(_is_passed_on(one) for one in made) else made


def _is_passed_on(made: Place) -> bool:
    around = _around(made)
    return isinstance(around, ast.keyword) or (isinstance(around, ast.Call) and around.func is not made.expression)


def _around(made: Place) -> ast.AST | None:
    return made.file.parents_in(made.statement).get(made.expression)


def _is_returned(function: Function) -> bool:
    """Tell whether the function around may return a function: `return scale(x)` returns what it returns, not it."""
    outer, name = function.scope.outer, function.scope.name
    returned = [one.value for one in outer.returns if one.value is not None] if outer is not None else []
    return any(name in _values_of(value) for value in returned)


def _values_of(node: ast.expr) -> Iterator[str]:
    """Yield the names that an expression reads, without those that it only calls."""
    called = {id(one.func) for one in walk(node) if isinstance(one, ast.Call)}
    yield from (one.id for one in walk(node) if isinstance(one, ast.Name) and id(one) not in called)
