"""How many there are of something: a number, or a multiple of how many batches some loader has.

What is divided and rounded down is at most its quotient, so that a count is an upper bound.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple

from torchlint.model.calls import Call, call_at
from torchlint.model.place import Place
from torchlint.model.roles import LOADERS, is_a
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Literal, Possibility
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.schedulers import SIZED
from torchlint.pytorch.symbols import TENSOR_DATASET

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


class Count(NamedTuple):
    """A number of times; `of` says which unknown numbers it is a multiple of."""

    number: Fraction
    of: tuple[str, ...] = ()

    def times(self, other: Count) -> Count:
        """Return the product of two counts."""
        return Count(self.number * other.number, tuple(sorted((*self.of, *other.of))))

    def exceeds(self, other: Count) -> bool:
        """Tell whether this is surely more than another one."""
        return self.of == other.of and self.number > other.number


ONCE = Count(Fraction(1))
_NOBODY_KNOWS: Count | None = None


@tabled(_NOBODY_KNOWS)
def count_of(ev: Evaluator, place: Place) -> Count | None:
    """Return how many an expression counts, None where that is unknown."""
    values = {one.value.value if isinstance(one.value, Literal) else None for one in ev.evaluate(place)}
    only = values.pop() if len(values) == 1 else None
    if isinstance(only, int):
        return Count(Fraction(only))
    match place.expression:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            first, second = count_of(ev, place.at(left)), count_of(ev, place.at(right))
            return first.times(second) if first is not None and second is not None else None
        case ast.BinOp(left=left, op=ast.FloorDiv() | ast.Div(), right=right):
            return _quotient(count_of(ev, place.at(left)), count_of(ev, place.at(right)))
        case ast.Call(func=ast.Name(id="len"), args=[counted]):
            return length_of(ev, place.at(counted))
        case ast.Call(func=ast.Name(id="int"), args=[number]):
            return count_of(ev, place.at(number))
        case ast.Name() | ast.Attribute():
            return _of_origin(ev, place)
        case _:
            return None


def _quotient(dividend: Count | None, divisor: Count | None) -> Count | None:
    if dividend is None or divisor is None or divisor.of or not divisor.number:
        return None
    return Count(dividend.number / divisor.number, dividend.of)


def _of_origin(ev: Evaluator, place: Place) -> Count | None:
    """Return what a name counts, by the one expression that it stands for."""
    origins = {one.origin for one in ev.evaluate(place)}
    origin = origins.pop() if len(origins) == 1 else None
    return count_of(ev, origin) if origin is not None and origin.expression is not place.expression else None


@tabled(_NOBODY_KNOWS)
def length_of(ev: Evaluator, place: Place) -> Count | None:
    """Return how many batches a loader has, or how many items a data set."""
    possible = ev.evaluate(place)
    return _length(ev, possible[0]) if len(possible) == 1 else None


def _length(ev: Evaluator, one: Possibility) -> Count | None:
    made = call_at(one.origin) if one.origin is not None else None
    if made is None:
        return None
    if is_a(ev, one.value, LOADERS):
        return _batches(ev, made) or Count(Fraction(1), (f"len{made.key}",))
    arguments = made.arguments
    if isinstance(one.value, Built) and canonical(one.value.name) == TENSOR_DATASET and arguments:
        return length_of(ev, arguments[0])
    if made.callee.names and made.callee.names <= SIZED and arguments:
        size = arguments[0]
        first = size.at(size.expression.elts[0]) if isinstance(size.expression, ast.Tuple) else size
        return count_of(ev, first)
    return None


def _batches(ev: Evaluator, made: Call) -> Count | None:
    """Return how many batches a loader makes of a data set whose length is known."""
    dataset, size = made.argument("dataset", 0), made.argument("batch_size", 1)
    if dataset is None or made.is_open or {"sampler", "batch_sampler"} & set(made.keywords):
        return None
    items = length_of(ev, dataset)
    batch = count_of(ev, size) if size is not None else ONCE
    if items is None or batch is None or items.of or batch.of or not batch.number:
        return None
    drops = made.argument("drop_last", 8)
    drops_last = drops.literals if drops is not None else (False,)
    if drops_last not in ((True,), (False,)):
        return None
    quotient = items.number / batch.number
    return Count(Fraction(floor(quotient) if drops_last == (True,) else ceil(quotient)))
