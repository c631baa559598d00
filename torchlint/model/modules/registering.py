"""Functions that register their argument: `def put(net, name, part): setattr(net, name, part)`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Caller, Place
from torchlint.pytorch.module_attributes import REGISTERING_MODULES

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.values.value_sets import Function
    from torchlint.syntax.scope import Parameter

# Functions that register a module or parameter under a name, and how many arguments come before that.
_REGISTERING = {"setattr": 2, **dict.fromkeys(REGISTERING_MODULES, 1), "register_parameter": 1}


def is_given_to_register(ev: Evaluator, place: Place, names: Collection[str]) -> bool:
    """Tell whether the function around a place passes one of some names to a function that registers it."""
    for call, argument, statement in (one for name in sorted(names) for one in place.file.mentions(name)):
        at = Place(place.file, call, statement)
        is_passed = at.scope is place.scope and isinstance(argument, ast.Name)
        if is_passed and any(_registers(function, at, names) for function in ev.callees(at)):
            return True
    return False


def _is_named(node: ast.expr, names: Collection[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _registers(function: Function, call: Place, names: Collection[str]) -> bool:
    caller = Caller.of_call(call, 1 if function.receiver is not None else 0)
    for parameter in _registered(function):
        if any(_is_named(one.expression, names) for one in caller.argument(parameter) or ()):
            return True
    return False


def _registered(function: Function) -> Iterator[Parameter]:
    """Yield the parameters that a function registers with some module unchanged."""
    index = function.file.index
    for name, before in _REGISTERING.items():
        for call, statement in index.calls(name):
            if index.home[statement][0].scope is function.scope and len(call.args) > before:
                put = call.args[before]
                yield from (one for one in function.scope.parameters if _is_named(put, {one.name}) and not one.star)
