"""Weights that a program replaces by tensors of its own, `conv.weight = nn.Parameter(kernel)`, or of another type."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.devices.literals import is_data_type
from torchlint.model.modules.registered import PARAMETERS
from torchlint.model.values.value_sets import HOST, Tensor
from torchlint.syntax.arguments import passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def may_bring_device(ev: Evaluator, stored: Place) -> bool:
    """Tell whether a statement stores a tensor in a module that may not be on the host.

    A parameter is where the tensor is that it is made of.
    """
    value = getattr(stored.statement, "value", None)
    if not isinstance(value, ast.expr):
        return False
    place = stored.at(value)
    if isinstance(value, ast.Call) and place.at(value.func).names & PARAMETERS:
        data = passed(value, "data", 0)
        place = place.at(data) if data is not None else place
    return any(isinstance(one.value, Tensor) and one.value.device != HOST for one in ev.evaluate(place))


def may_move_by_type(ev: Evaluator, place: Place, read: ast.Attribute) -> bool:
    """Tell whether a module is converted to a type that is on a GPU, or to an unknown one: `net.type(kind)`."""
    call = place.file.parents_in(place.statement).get(read)
    if read.attr != "type" or not isinstance(call, ast.Call) or not call.args:
        return False
    return not all(is_data_type(one) for one in ev.evaluate(place.at(call.args[0])))
