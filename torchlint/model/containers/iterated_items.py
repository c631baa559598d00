"""What a loop binds in one of its iterations: the second item of a list, `1` for `enumerate`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.containers.displays import elements_of
from torchlint.model.containers.items import item
from torchlint.model.containers.module_containers import is_container
from torchlint.model.containers.positions import constant, skipped
from torchlint.model.values.joins import either
from torchlint.model.values.order import in_order
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    Built,
    Display,
    Imported,
    Iterator,
    Literal,
    Possibility,
    Tuple,
    ValueSet,
    known,
)

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_NOTHING: ValueSet = ()
_SEQUENCES = (ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp)
_SAME_ITEMS = frozenset({"builtins.list", "builtins.tuple", "builtins.iter"})


@tabled(_NOTHING, in_order)
def iterated_item(ev: Evaluator, source: Place, number: int) -> ValueSet:
    """Return what an iteration of a loop over an expression is given; bottom if it ends before."""
    return either(*(_of_one(ev, one, number) for one in ev.evaluate(source)))


def _of_one(ev: Evaluator, one: Possibility, number: int) -> ValueSet:
    match one.value:
        case Tuple(items=items):
            return items[number] if number < len(items) else ()
        case Display(place=place) if isinstance(place.expression, _SEQUENCES):
            return ev.item((one, number))
        case Iterator(items=items) if one.origin is not None and isinstance(one.origin.expression, ast.Call):
            found = _of_call(ev, one.origin, one.origin.expression, number)
            return items if found is None else found
        case Iterator() if one.origin is not None and (start := skipped(one.origin)) is not None:
            assert isinstance(one.origin.expression, ast.Subscript)
            return iterated_item(ev, one.origin.at(one.origin.expression.value), start + number)
        case Built(name=_) if is_container(one.value):
            return item(ev, one, number)
        case _:
            return elements_of(ev, (one,))


def _of_call(ev: Evaluator, place: Place, call: ast.Call, number: int) -> ValueSet | None:
    """Return what a call of Python yields at a position, None if it is none that is known to."""
    names = [one.value.name for one in ev.evaluate(place.at(call.func)) if isinstance(one.value, Imported)]
    match names, call.args:
        case ["builtins.range"], [*ends]:
            return _counted(ev, [place.at(end) for end in ends], place, number)
        case ["builtins.enumerate"], [source, *starts]:
            starts += [word.value for word in call.keywords]
            start = constant(ev, place.at(starts[0])) if starts else 0
            return None if start is None else _pair(place, start + number, iterated_item(ev, place.at(source), number))
        case ["builtins.zip"], columns:
            return known(Tuple(tuple(iterated_item(ev, place.at(one), number) for one in columns)), place)
        case [name], [source] if name in _SAME_ITEMS:
            return iterated_item(ev, place.at(source), number)
        case _:
            return None


def _pair(place: Place, number: int, found: ValueSet) -> ValueSet:
    return known(Tuple((known(Literal(number), place), found)), place)


def _counted(ev: Evaluator, ends: list[Place], place: Place, number: int) -> ValueSet | None:
    """Return the number that `range` counts to; bottom if it ends before."""
    start = constant(ev, ends[0]) if len(ends) > 1 else 0
    step = constant(ev, ends[2]) if len(ends) > 2 else 1
    if start is None or step is None:
        return None
    end = constant(ev, ends[min(len(ends) - 1, 1)])
    counted = start + step * number
    is_beyond = end is not None and (counted >= end if step > 0 else counted <= end)
    return () if is_beyond else known(Literal(counted), place)
