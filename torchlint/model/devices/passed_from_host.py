"""Inputs of modules that every call in view passes from the host: `net(x.cuda(), lengths)` with lengths of a loader.

The inputs of a `forward` count as tensors on the device of its module, which holds for what that computes with its
parameters. What it only reads, as lengths and names of rows, may stay on the host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.place import Caller, Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Function, Tensor
from torchlint.model.values.values_of_names import names_read

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Parameter


@tabled(False)
def is_passed_from_host(ev: Evaluator, tensor: Place) -> bool:
    """Tell whether a tensor is made of parameters alone, for which each call in view passes a tensor on the host."""
    function = tensor.scope
    if function.kind != "function" or not function.is_method:
        return False
    names = names_read(tensor)
    given = [one for one in function.parameters if one.name in names]
    if not given or function.parameters[0] in given:
        return False
    method = Function(tensor.file, function)
    callers = dict.fromkeys((*ev.callers(method), *object_callers_of(ev, method)))
    return bool(callers) and all(_passes_host(ev, caller, one) for one in given for caller in callers)


def _passes_host(ev: Evaluator, caller: Caller, parameter: Parameter) -> bool:
    arguments = caller.argument(parameter)
    return bool(arguments) and all(_is_on_host(ev, one) for one in arguments or ())


def _is_on_host(ev: Evaluator, argument: Place) -> bool:
    possible = [one.value for one in ev.evaluate(argument)]
    if possible and all(isinstance(one, Tensor) and one.device == HOST for one in possible):
        return True
    return is_passed_from_host(ev, argument)
