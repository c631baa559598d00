"""Where the output of a module is: with the module, unless its inputs show that it runs on the host, or raises."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.modules.unmoving import moves_nothing
from torchlint.model.parallel.device_transfer import transferred
from torchlint.model.parallel.wrappers import moves_inputs
from torchlint.model.place import Place
from torchlint.model.values.value_sets import (
    HOST,
    Class,
    Device,
    Display,
    Instance,
    Literal,
    Number,
    Possibility,
    Tensor,
    ValueSet,
)
from torchlint.syntax.arguments import has_open_keywords, has_star

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_ANY_DEVICE: frozenset[Device | None] = frozenset({None, Device()})


def beside_module(ev: Evaluator, place: Place, callee: Possibility, module: Place, found: ValueSet) -> ValueSet:
    """Return the output of a module on the device of the module, in a world with CUDA."""
    where = ev.residence(module)
    if where == Device() and is_given_host(ev, place) and not _moves_inputs(ev, callee):
        # With these inputs, a module that may be anywhere raises unless it is on the host.
        where = None
    return transferred(ev, found, _ANY_DEVICE, where)


def _moves_inputs(ev: Evaluator, callee: Possibility) -> bool:
    if isinstance(callee.value, Instance):
        return not moves_nothing(callee.value.kind)
    return moves_inputs(ev, callee)


def given_back(ev: Evaluator, place: Place, kind: Class, found: ValueSet) -> ValueSet:
    """Return the output of a module of the project: on the host if all inputs are, and it moves nothing."""
    if not any(map(_may_be_anywhere, found)) or ev.has_cuda is True or not moves_nothing(kind):
        return found
    return transferred(ev, found, _ANY_DEVICE, HOST) if is_given_host(ev, place) else found


def _may_be_anywhere(one: Possibility) -> bool:
    """Tell whether something is a tensor on an unknown device, or a tuple, list, dict or object that may hold one."""
    match one.value:
        case Tensor(device=device):
            return device in _ANY_DEVICE
        case Display(place=written):
            return isinstance(written.expression, (ast.Tuple, ast.List, ast.Dict))
        case Instance():
            return True
        case _:
            return False


def is_given_host(ev: Evaluator, place: Place) -> bool:
    """Tell whether the arguments of a call are on the host, and none may be elsewhere."""
    assert isinstance(place.expression, ast.Call)
    if has_star(place.expression.args) or has_open_keywords(place.expression):
        return False
    arguments = [*place.expression.args, *(word.value for word in place.expression.keywords)]
    given = [one.value for argument in arguments for one in ev.evaluate(place.at(argument))]
    are_tensors = [isinstance(value, Tensor) and value.device == HOST for value in given]
    return any(are_tensors) and all(
        is_tensor or isinstance(value, (Literal, Number)) for is_tensor, value in zip(are_tensors, given, strict=True)
    )
