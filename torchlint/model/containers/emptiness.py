"""Containers that are surely empty, so that a loop over them has no iterations.

Without CUDA that is `range(torch.cuda.device_count())` and what is made of it, and the devices of a DataParallel.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.containers.lists import added_to
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Display, Tuple, Value, ValueSet, known

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def is_empty(ev: Evaluator, possible: ValueSet) -> bool:
    """Tell whether an expression is surely empty."""
    return bool(possible) and all(_has_nothing(ev, one.value) for one in possible)


def emptied(ev: Evaluator, call: Place, *given: ValueSet) -> ValueSet | None:
    """Return the result of a call that iterates over several in parallel, if one is empty: `zip(xs, range(0))`."""
    if not any(is_empty(ev, one) for one in given) or any(added_to(call)):
        return None
    return known(Tuple(()), call)


def _has_nothing(ev: Evaluator, value: Value) -> bool:
    """Tell whether a value is empty; a list display may be filled elsewhere."""
    match value:
        case Tuple(items=items):
            return not items
        case Display(place=place):
            return _has_no_iterations(ev, place) and not any(added_to(place))
        case _:
            return False


@tabled(False)
def _has_no_iterations(ev: Evaluator, place: Place) -> bool:
    """Tell whether a comprehension iterates over something empty."""
    match place.expression:
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp() as comprehension:
            sources = (place.at(generator.iter) for generator in comprehension.generators)
            return any(is_empty(ev, ev.evaluate(source)) for source in sources)
        case _:
            return False
