"""What a test says: its text, those of what its names hold, and of what the functions that it calls return."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.parallel.ranks import values_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Function
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_FURTHEST = 2


def texts_of(ev: Evaluator, test: Place) -> Iterator[str]:
    """Yield the texts of a test: its own, that of what its names hold, and of what its predicates return."""
    seen: set[Place] = set()
    waiting = deque([(test, 0)])
    while waiting:
        one, distance = waiting.popleft()
        if one in seen:
            continue
        seen.add(one)
        yield one.code
        for value, is_same in _held_by(ev, one) if distance < _FURTHEST else ():
            # An alias of the same flag is no further away.
            (waiting.appendleft if is_same else waiting.append)((value, distance if is_same else distance + 1))


def _held_by(ev: Evaluator, test: Place) -> Iterator[tuple[Place, bool]]:
    """Yield what the names in a test hold and what its predicates return, and whether it is another name for that."""
    for node in walk(test.expression):
        if isinstance(node, (ast.Name, ast.Attribute)):
            for value in (*values_of(ev, test.at(node)), *_passed_as(ev, test.at(node))):
                yield value, isinstance(value.expression, (ast.Name, ast.Attribute))
        elif isinstance(node, ast.Call):
            for one in ev.evaluate(test.at(node.func)):
                for answer in one.value.scope.returns if isinstance(one.value, Function) else ():
                    if answer.value is not None and isinstance(one.value, Function):
                        yield Place(one.value.file, answer.value, answer), False


def _passed_as(ev: Evaluator, name: Place) -> Iterator[Place]:
    """Yield what the callers of a function pass for the parameter that a name is: `Saving(model, rank == 0)`."""
    said = name.expression.id if isinstance(name.expression, ast.Name) else ""
    parameter = next((one for one in name.scope.parameters if one.name == said), None)
    if parameter is not None:
        for caller in ev.callers(Function(name.file, name.scope)):
            yield from caller.argument(parameter) or ()
