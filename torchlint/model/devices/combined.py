"""Results that count as on the host, but are made with a tensor that may be on a GPU.

An operator with a tensor with dimensions on the host returns one there, or raises: where the other operand is on a GPU,
there is no result that could meet anything.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Possibility, Tensor

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def may_be_combined_elsewhere(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether an operator makes a tensor of one that may be elsewhere than on the host."""
    return one.origin is not None and _is_of_any_elsewhere(ev, one.origin)


@tabled(False)
def _is_of_any_elsewhere(ev: Evaluator, made: Place) -> bool:
    parts = (part for node in _operands(made) for part in ev.evaluate(made.at(node)))
    return any(
        isinstance(part.value, Tensor) and (part.value.device != HOST or may_be_combined_elsewhere(ev, part))
        for part in parts
    )


def _operands(made: Place) -> list[ast.expr]:
    match made.expression:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Compare(left=left, comparators=comparators):
            return [left, *comparators]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case _:
            return []
