"""The weights that a loss was made with, where nothing moves the loss: they are where they were made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.pytorch.moves import TO_GPU
from torchlint.syntax.arguments import passed
from torchlint.syntax.around import parent_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place
    from torchlint.model.values.value_sets import Possibility


def unmoved_weights(ev: Evaluator, function: Place, loss: Possibility) -> Iterator[Place]:
    """Yield the weights of a loss that is called by an expression, unless it may be moved."""
    made = loss.origin
    if made is None or ev.residence(function) is not None or _may_be_moved(function) or _may_be_moved(made):
        return
    for name in ("weight", "pos_weight"):
        if (weight := passed(made.expression, name)) is not None:
            yield made.at(weight)


def _may_be_moved(place: Place) -> bool:
    """Tell whether a loss may be moved, conditionally or not: where it is made, or by one of its names."""
    is_moved_at_once = isinstance(around := parent_of(place), ast.Attribute) and around.attr in TO_GPU
    return is_moved_at_once or place.file.is_called_on((place.code, *place.bound_to), TO_GPU)
