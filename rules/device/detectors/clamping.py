"""`clamp` with tensors for bounds, which have to be on the tensor's device, even scalars.

In `aten/src/ATen/native/native_functions.yaml` (2.13) `add.Tensor` has `device_check: NoCheck`, and its iterator
accepts a scalar on the host; `clamp.Tensor`, `clamp_min.Tensor` and `clamp_max.Tensor` have not. With a Python number
for the other bound, `clamp(x, 0, limit)`, PyTorch converts both to numbers, and reads the tensor.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Imported, Literal, Possibility, Tensor
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.in_place import CLAMPING
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_FUNCTIONS = frozenset(f"torch.{name}{end}" for name in CLAMPING for end in ("", "_"))


def is_clamping(node: ast.expr) -> bool:
    """Tell whether an expression is, by its form, a `clamp` without a Python number as a bound."""
    match node:
        case ast.Call(func=function, args=arguments, keywords=words):
            given = (*arguments, *(word.value for word in words))
            return last_name(function).removesuffix("_") in CLAMPING and not any(map(_is_number, given))
        case _:
            return False


def clamped_with(ev: Evaluator, place: Place, call: ast.Call) -> tuple[ast.expr, ...]:
    """Return the tensor operands of a `clamp`, its bounds among them; none if one of these may be a number."""
    given = [*call.args, *(word.value for word in call.keywords if word.arg in {"input", "min", "max"})]
    if isinstance(call.func, ast.Attribute) and _is_tensor(ev, place.at(call.func.value)):
        given = [call.func.value, *given]
    elif not any(_is_function(one) for one in ev.evaluate(place.at(call.func))):
        return ()
    operands = tuple(one for one in given if not (isinstance(one, ast.Constant) and one.value is None))
    return operands if all(_is_tensor(ev, place.at(one)) for one in operands) else ()


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(operand=operand):
            return _is_number(operand)
        case ast.Constant(value=value):
            return value is not None
        case _:
            return False


def _is_tensor(ev: Evaluator, place: Place) -> bool:
    possible = [one.value for one in ev.evaluate(place) if one.value != Literal(None)]
    return bool(possible) and all(isinstance(value, Tensor) for value in possible)


def _is_function(one: Possibility) -> bool:
    return isinstance(one.value, Imported) and canonical(one.value.name) in _FUNCTIONS
