"""What functions of the project return and yield."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.displays import elements_of
from torchlint.model.frame import Frame
from torchlint.model.place import Place
from torchlint.model.reach import may_run
from torchlint.model.values import Function, Generated, Literal, Possible, either, known

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator


def returned(ev: Evaluator, function: Function, frame: Frame | None) -> Possible:
    """Return what the `return`s of a function that may run give back; None where it has none."""
    if not function.scope.returns:
        return known(Literal(None))
    found = []
    for statement in function.scope.returns:
        place = Place(function.file, statement.value or ast.Constant(None), statement, frame)
        if may_run(ev, place):
            found.append(ev.evaluate(place) if statement.value is not None else known(Literal(None)))
    return either(*found)


def generated(ev: Evaluator, generator: Generated) -> Possible:
    """Return what a generator function's `yield`s give."""
    found = []
    for node, statement in generator.function.scope.yields:
        if node.value is None:
            continue
        place = Place(generator.function.file, node.value, statement, generator.frame)
        value = ev.evaluate(place)
        found.append(elements_of(ev, value) if isinstance(node, ast.YieldFrom) else value)
    return either(*found)
