"""What the functions of einops return: tensors where their arguments are, ndarrays of ndarrays.

https://einops.rocks/api/rearrange/
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from torchlint.model.containers.displays import elements_of
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.operators import joined
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Array,
    Display,
    Iterator,
    Number,
    Possibility,
    Tensor,
    Tuple,
    ValueSet,
    known,
)
from torchlint.syntax.arguments import passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_LISTS = (Display, Tuple, Iterator)


def _rearranged(ev: Evaluator, place: Place) -> ValueSet:
    """`rearrange(x, "b c -> c b")`: like its argument, but made here, as it has other dimensions."""
    return either(*(_made_of(one, place) for one in _given(ev, place))) or UNKNOWN


def _made_of(one: Possibility, place: Place) -> ValueSet:
    return (Possibility(one.value, place, one.story),) if isinstance(one.value, (Tensor, Array)) else UNKNOWN


def _given(ev: Evaluator, place: Place) -> ValueSet:
    """Return what the first argument may be, of a list its items."""
    first = passed(place.expression, "tensor", 0) or passed(place.expression, "tensors")
    possible = ev.evaluate(place.at(first)) if first is not None else ()
    return either(*(elements_of(ev, (one,)) if isinstance(one.value, _LISTS) else (one,) for one in possible))


def _multiplied(ev: Evaluator, place: Place) -> ValueSet:
    """`einsum(a, b, "i j, j k -> i k")`."""
    call = place.expression
    assert isinstance(call, ast.Call)
    values = [one.value for argument in call.args[:-1] for one in ev.evaluate(place.at(argument))]
    return known(joined(*values), place) if any(isinstance(value, Tensor) for value in values) else UNKNOWN


def _packed(ev: Evaluator, place: Place) -> ValueSet:
    """`pack([x, y], "* d")`: one tensor, and the shapes of those in it."""
    return known(Tuple((_rearranged(ev, place), known(Number()))), place)


def _unpacked(ev: Evaluator, place: Place) -> ValueSet:
    """`unpack(x, shapes, "* d")`: a list of tensors."""
    return known(Iterator(_rearranged(ev, place)), place)


_FUNCTIONS: dict[str, Callable[[Evaluator, Place], ValueSet]] = {
    **dict.fromkeys(("rearrange", "reduce", "repeat"), _rearranged),
    "einsum": _multiplied,
    "pack": _packed,
    "unpack": _unpacked,
}
EINOPS = {f"{space}.{name}": answer for space in ("einops", "einops.einops") for name, answer in _FUNCTIONS.items()}
"""The functions, by their full names."""
