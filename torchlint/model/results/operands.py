"""What functions of PyTorch return for the tensors that they are passed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.containers.displays import elements_of
from torchlint.model.tensors.dimensions import has_dimensions
from torchlint.model.values.operators import joined
from torchlint.model.values.value_sets import HOST, Display, Iterator, Tensor, Tuple, Unknown, Value, ValueSet
from torchlint.pytorch.in_place import CLAMPING
from torchlint.pytorch.losses import MEAN_LOSS_FUNCTIONS
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


def beside_target(ev: Evaluator, place: Place, name: str, operand: Tensor) -> Tensor:
    """Return the operands of a loss: a target with dimensions on the host combines with no input elsewhere."""
    if operand.device is not None or name not in MEAN_LOSS_FUNCTIONS:
        return operand
    is_held = any(_is_held(ev, ev.evaluate(place.at(one))) for one in _operands(place)[:2])
    return Tensor(HOST, operand.graph) if is_held else operand


def _is_held(ev: Evaluator, possible: ValueSet) -> bool:
    """Tell whether all that something may be are tensors with dimensions on the host."""
    return bool(possible) and all(
        isinstance(one.value, Tensor) and one.value.device == HOST and has_dimensions(ev, one) for one in possible
    )


def _operands(place: Place) -> list[ast.expr]:
    """Return the arguments that determine where a result is: bounds are numbers, or combine with the input."""
    assert isinstance(place.expression, ast.Call)
    arguments = arguments_of(place)
    return arguments[:1] if callee_name(place.expression) in CLAMPING else arguments
