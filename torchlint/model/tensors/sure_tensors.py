"""What is surely a tensor, and not only assumed to be one.

Inputs of a module of unknown type are assumed to be tensors, and so is what is computed from them.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Display, Possibility, Tensor

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def are_tensors(ev: Evaluator, place: Place) -> bool:
    """Tell whether every possibility of an expression is a tensor, as far as is assumed."""
    possible = ev.evaluate(place)
    return bool(possible) and all(isinstance(one.value, Tensor) for one in possible)


@tabled(True)
def is_surely_tensor(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is a tensor, by what it is made of."""
    possible = ev.evaluate(place)
    return bool(possible) and all(is_surely_made(ev, one) for one in possible)


def is_surely_made(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a possibility is a tensor, by what it is made of."""
    if not isinstance(one.value, Tensor) or one.origin is None:
        return False
    match one.origin.expression:
        case ast.BinOp(left=left, right=right):
            return any(is_surely_tensor(ev, one.origin.at(side)) for side in (left, right))
        case ast.Compare(left=left, comparators=others):
            return any(is_surely_tensor(ev, one.origin.at(side)) for side in (left, *others))
        case ast.UnaryOp(operand=part) | ast.Subscript(value=part) | ast.Attribute(value=part):
            return is_surely_tensor(ev, one.origin.at(part))
        case ast.Call(func=ast.Attribute(value=value)):
            made = ev.evaluate(one.origin.at(value))
            return not any(isinstance(owner.value, Display) for owner in made)
        case ast.Call():
            return True
        case _:
            return False
