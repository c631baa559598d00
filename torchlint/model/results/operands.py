"""What functions of PyTorch return for the tensors that they are passed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.containers.displays import elements_of
from torchlint.model.values.operators import joined
from torchlint.model.values.value_sets import Display, Iterator, Tensor, Tuple, Unknown, Value
from torchlint.pytorch.in_place import CLAMPING
from torchlint.syntax.around import arguments_of
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def of_arguments(ev: Evaluator, place: Place) -> list[Tensor]:
    """Return the results of an operation on a call's arguments, items included; a single one's by possibility."""
    values: list[Value] = []
    operands = _operands(place)
    for argument in operands:
        for one in ev.evaluate(place.at(argument)):
            if isinstance(one.value, (Display, Tuple, Iterator)):
                values += [inner.value for inner in elements_of(ev, (one,))]
            else:
                values.append(one.value)
    # Two possibilities of one argument are not operands of each other.
    is_one = len(operands) == 1 and all(isinstance(one, (Tensor, Unknown)) for one in values)
    return [joined(one) for one in values] if is_one and values else [joined(*values)]


def _operands(place: Place) -> list[ast.expr]:
    """Return the arguments that determine where a result is: bounds are numbers, or combine with the input."""
    assert isinstance(place.expression, ast.Call)
    arguments = arguments_of(place)
    return arguments[:1] if callee_name(place.expression) in CLAMPING else arguments
