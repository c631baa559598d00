"""What a module is called with that is no tensor: it hands it on where PyTorch wants numbers, or a call passes them.

What is guessed of its inputs is wrong there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.linking.callers import object_callers_of
from torchlint.model.place import Place
from torchlint.model.syntax.arguments import passed
from torchlint.model.syntax.last_names import last_name
from torchlint.model.values.possible import Device, Function, Possibility, Tensor, Unknown

if TYPE_CHECKING:
    from torchlint.model.values.evaluator import Evaluator


def may_be_numbers(ev: Evaluator, place: Place) -> bool:
    """Tell whether what counts as an input of a module, because nobody says what it is, may be numbers."""
    if not isinstance(place.expression, ast.Name) or not any(_is_guessed(one) for one in ev.evaluate(place)):
        return False
    name = place.expression.id
    handed_on = (given.id for given in _given_as_numbers(ev, place) if isinstance(given, ast.Name))
    return name in handed_on or any(_is_no_tensor(ev, one) for one in _passed_for(ev, place, name))


def _is_guessed(one: Possibility) -> bool:
    return one.origin is None and one.value == Tensor(Device())


def _passed_for(ev: Evaluator, place: Place, name: str) -> Iterator[Place]:
    """Yield what is passed for a parameter by those who call the module that a place is in."""
    parameter = next((one for one in place.scope.parameters if one.name == name), None)
    if parameter is not None:
        for caller in object_callers_of(ev, Function(place.file, place.scope)):
            yield from caller.argument(parameter) or ()


def _is_no_tensor(ev: Evaluator, given: Place) -> bool:
    if isinstance(given.expression, ast.Attribute) and given.expression.attr == "shape":
        return True
    possible = ev.evaluate(given)
    return bool(possible) and not any(isinstance(one.value, (Tensor, Unknown)) for one in possible)


def _given_as_numbers(ev: Evaluator, place: Place) -> Iterator[ast.expr | None]:
    """Yield what the function around a place gives to calls by these names, be they of PyTorch or of what wraps it."""
    for call, statement in place.file.calls_in_scope(place.scope):
        match last_name(call.func):
            case "tensor":
                # A tensor is copied with a warning.
                yield passed(call, "data", 0)
            case "split" | "split_with_sizes":
                # A tensor is refused.
                yield passed(call, "split_size_or_sections", 0 if _is_method(ev, place, call, statement) else 1)


def _is_method(ev: Evaluator, place: Place, call: ast.Call, statement: ast.stmt) -> bool:
    """Tell whether a call is of a tensor's own method."""
    if not isinstance(call.func, ast.Attribute):
        return False
    owner = ev.evaluate(Place(place.file, call.func.value, statement, place.frame))
    return bool(owner) and all(isinstance(one.value, Tensor) for one in owner)
