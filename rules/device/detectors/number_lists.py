"""Inputs of a module that are no tensors: it uses them where PyTorch takes numbers, or a call passes numbers.

The assumption that its inputs are tensors is wrong there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.place import Place
from torchlint.model.values.kinds import is_number
from torchlint.model.values.value_sets import Device, Function, Possibility, Tensor, Unknown
from torchlint.syntax.arguments import passed
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def may_be_numbers(ev: Evaluator, place: Place) -> bool:
    """Tell whether an assumed input of a module, of unknown type, may be a number.

    So may what is computed from it: `height / 2`.
    """
    match place.expression:
        case ast.Name():
            return _is_given_numbers(ev, place, place.expression.id)
        case ast.BinOp(left=left, right=right):
            return may_be_numbers(ev, place.at(left)) or may_be_numbers(ev, place.at(right))
        case _:
            return False


def _is_given_numbers(ev: Evaluator, place: Place, name: str) -> bool:
    if not any(_is_guessed(one) for one in ev.evaluate(place)):
        return False
    handed_on = (given.id for given in _given_as_numbers(ev, place) if isinstance(given, ast.Name))
    return name in handed_on or any(_is_no_tensor(ev, one) for one in _passed_for(ev, place, name))


def _is_guessed(one: Possibility) -> bool:
    return one.origin is None and one.value == Tensor(Device())


def _passed_for(ev: Evaluator, place: Place, name: str) -> Iterator[Place]:
    """Yield the arguments for a parameter in the calls of the module around a place."""
    parameter = next((one for one in place.scope.parameters if one.name == name), None)
    if parameter is not None:
        for caller in object_callers_of(ev, Function(place.file, place.scope)):
            yield from caller.argument(parameter) or ()


def _is_no_tensor(ev: Evaluator, given: Place) -> bool:
    if isinstance(given.expression, ast.Attribute) and given.expression.attr == "shape":
        return True
    values = [one.value for one in ev.evaluate(given)]
    # The module's own result, fed back in each iteration, is assumed as well.
    if any(map(is_number, values)):
        return True
    return bool(values) and not any(isinstance(value, (Tensor, Unknown)) for value in values)


def _given_as_numbers(ev: Evaluator, place: Place) -> Iterator[ast.expr | None]:
    """Yield the arguments of calls of these names in the function around a place, of PyTorch's or of a wrapper's."""
    for call, statement in place.file.calls_in_scope(place.scope):
        match last_name(call.func):
            case "tensor":
                # A tensor is copied with a warning.
                yield passed(call, "data", 0)
            case "split" | "split_with_sizes":
                # A tensor is rejected.
                yield passed(call, "split_size_or_sections", 0 if _is_method(ev, place, call, statement) else 1)


def _is_method(ev: Evaluator, place: Place, call: ast.Call, statement: ast.stmt) -> bool:
    """Tell whether a call is of a tensor's own method."""
    if not isinstance(call.func, ast.Attribute):
        return False
    owner = ev.evaluate(Place(place.file, call.func.value, statement, place.frame))
    return bool(owner) and all(isinstance(one.value, Tensor) for one in owner)
