"""Containers that surely have nothing in them, so that a loop over them has no rounds.

Without CUDA that is `range(torch.cuda.device_count())` and what is made of it, and the devices of a DataParallel.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.containers.lists import added_to
from torchlint.model.values.value_sets import Display, Tuple, Value, ValueSet, known

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def is_empty(ev: Evaluator, possible: ValueSet, depth: int = 0) -> bool:
    """Tell whether an expression surely has nothing in it."""
    return bool(possible) and all(_has_nothing(ev, one.value, depth) for one in possible)


def emptied(ev: Evaluator, call: Place, *given: ValueSet) -> ValueSet | None:
    """Return what a call makes that goes through these side by side, where one is empty: `zip(xs, range(0))`."""
    if not any(is_empty(ev, one) for one in given) or any(added_to(call)):
        return None
    return known(Tuple(()), call)


def _has_nothing(ev: Evaluator, value: Value, depth: int) -> bool:
    """Tell whether a value has nothing in it; of a list that is written down, somebody may fill it elsewhere."""
    match value:
        case Tuple(items=items):
            return not items
        case Display(place=place) if depth < NESTED:
            return _has_no_rounds(ev, place, depth) and not any(added_to(place))
        case _:
            return False


def _has_no_rounds(ev: Evaluator, place: Place, depth: int) -> bool:
    """Tell whether a comprehension goes through something empty."""
    match place.expression:
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp() as comprehension:
            sources = (place.at(generator.iter) for generator in comprehension.generators)
            return any(is_empty(ev, ev.evaluate(source), depth + 1) for source in sources)
        case _:
            return False
