"""Loops over devices and their numbers: what is in their first two iterations, one on each of two GPUs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.model.containers.iterated_items import iterated_item
from torchlint.model.containers.positions import length, made_at
from torchlint.model.place import Place
from torchlint.model.values.iterations import in_iteration
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Device, Display, Instance, Literal, Tensor, Tuple, Value
from torchlint.syntax.around import loops_around

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_MOST_LOOPS = 3
_MOST_ITEMS = 4
_NUMBERS: tuple[int, ...] = ()


def first_items(ev: Evaluator, sequence: Place) -> Iterator[Place]:
    """Yield what makes the first items of a list, if it is known how many there are."""
    match [one.value for one in ev.evaluate(sequence)]:
        case [Display(place=display)]:
            for position in range(min(length(ev, sequence) or 0, _MOST_ITEMS)):
                if (made := made_at(display, position)) is not None:
                    yield made


def in_iterations(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield a place in the first iterations of each loop around it that may go through devices."""
    for source in islice(_sources(place), _MOST_LOOPS):
        for number in _asked(ev, source):
            yield in_iteration(place, source.expression, number)


def _sources(place: Place) -> Iterator[Place]:
    """Yield what the loops and comprehensions around a place go through, innermost first."""
    parents = place.file.parents_in(place.statement)
    child: ast.AST = place.expression
    while (parent := parents.get(child)) is not None:
        if isinstance(parent, _COMPREHENSIONS) and not isinstance(child, ast.comprehension):
            yield from (place.at(loop.iter) for loop in parent.generators)
        child = parent
    for around in loops_around(place):
        if isinstance(around, ast.For):
            yield Place(place.file, around.iter, around, place.frame, place.given)


@tabled(_NUMBERS)
def _asked(ev: Evaluator, source: Place) -> tuple[int, ...]:
    """Return the iterations of a loop that surely run, if what it goes through may have a device, or be one."""
    if not any(_may_have_device(one.value) for one in iterated_item(ev, source, 0)):
        return ()
    count = length(ev, source)
    return (0, 1)[: 1 if count is None else min(count, 2)]


def _may_have_device(value: Value) -> bool:
    match value:
        case Device() | Tensor() | Built() | Instance():
            return True
        case Literal(value=constant):
            return isinstance(constant, (int, str))
        case Tuple(items=items):
            return any(_may_have_device(one.value) for part in items for one in part)
        case _:
            return False
