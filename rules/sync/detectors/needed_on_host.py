"""Waits for what is needed on the host: actions of an environment, costs of a solver, lengths of a packed sequence."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.values.def_use import ancestors, uses_of
from torchlint.model.values.value_sets import Built
from torchlint.pytorch.on_the_host import HOST_ARGUMENTS, HOST_PACKAGES
from torchlint.syntax.arguments import passed
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_ITSELF = (ast.BinOp, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Starred, ast.keyword)
_ARRAYS = "numpy."
_LONGEST = 24
# The observation, the reward, and whether it is over: https://gymnasium.farama.org/api/env/#gymnasium.Env.step
_FEWEST_PARTS = 3


def taker_of(ev: Evaluator, wait: Place) -> str:
    """Return the name of the callee that a copy is made for, if it takes that on the host alone; empty if none does."""
    calls = (call for start in _reads_of(ev, wait) for call in _given_to(start))
    return next((_called(call) for call, given in calls if _needs(ev, call, given)), "")


def _called(call: Place) -> str:
    """Return the callee of a call as text, or without its owner if that is long."""
    assert isinstance(call.expression, ast.Call)
    whole = written(call.expression.func)
    return whole if whole and len(whole) <= _LONGEST else callee_name(call.expression)


def _reads_of(ev: Evaluator, wait: Place) -> Iterator[Place]:
    """Yield the reads of a copy, the copy itself first, and then what is computed from it in the same statement."""
    yield wait
    yield from (use.place for use in uses_of(ev, wait.at(_made_of(wait))) if use.is_whole)


def _made_of(wait: Place) -> ast.expr:
    """Return all that is computed from a copy in place: `np.clip(x.cpu().numpy() + noise, -1, 1)` of `x.cpu()`."""
    found = wait.expression
    for parent, child in ancestors(wait):
        if isinstance(parent, ast.BinOp) or (isinstance(parent, ast.Call) and _hands_on(wait, parent, child)):
            found = parent
        elif not isinstance(parent, (ast.Attribute, ast.Subscript, ast.keyword)):
            break
    return found


def _hands_on(place: Place, call: ast.Call, part: ast.AST) -> bool:
    """Tell whether a call is of a method of something, or of NumPy, which makes another array of it."""
    return part is call.func or any(name.startswith(_ARRAYS) for name in place.at(call.func).names)


def _given_to(start: Place) -> Iterator[tuple[Place, ast.AST]]:
    """Yield the calls that a read is an argument of, with that argument, also through functions of NumPy."""
    for parent, child in ancestors(start):
        if isinstance(parent, ast.Call) and child is not parent.func:
            call = start.at(parent)
            yield call, child.value if isinstance(child, ast.keyword) else child
            if not _hands_on(call, parent, child):
                return
        elif not isinstance(parent, (*_ITSELF, ast.Call)):
            return


def _needs(ev: Evaluator, call: Place, given: ast.AST) -> bool:
    """Tell whether a call needs an argument on the host."""
    assert isinstance(call.expression, ast.Call)
    if _steps_an_environment(call):
        return True
    names = {*call.at(call.expression.func).names, *_methods(ev, call, call.expression.func)}
    if any(name.startswith(HOST_PACKAGES) for name in names):
        return True
    rows = (row for row in HOST_ARGUMENTS if row.names & names)
    return any(not row.keyword or passed(call.expression, row.keyword, row.position) is given for row in rows)


def _steps_an_environment(call: Place) -> bool:
    """Tell whether what a call of `step` returns is taken apart as an environment's: `obs, reward, done, _ = …`."""
    match call.statement:
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Call(func=ast.Attribute(attr="step")) as value):
            return value is call.expression and len(parts) >= _FEWEST_PARTS
        case _:
            return False


def _methods(ev: Evaluator, call: Place, function: ast.expr) -> Iterator[str]:
    """Yield the full names of the method that a call runs, by the classes of its object."""
    if isinstance(function, ast.Attribute):
        for one in ev.evaluate(call.at(function.value)):
            if isinstance(one.value, Built):
                yield f"{one.value.name}.{function.attr}"
