"""Whether a module and the one optimizer that trains it are parameters, by how their function uses them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.roles import is_a
from torchlint.model.values.parameter_contracts import by_contract, parameter_of_attribute
from torchlint.pytorch.roles import Role

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def is_trained_by_contract(ev: Evaluator, module: Place) -> bool:
    """Tell whether a module is a parameter without known callers, beside one optimizer and no other model."""
    behind = parameter_of_attribute(module)
    if behind is None or not _is_as_given(ev, module):
        return False
    function, name = behind
    beside = {one.name: by_contract(ev, module.file, function, one.name) for one in function.parameters}
    optimizers = [one for one, found in beside.items() if any(is_a(ev, it.value, Role.OPTIMIZER) for it in found)]
    return len(optimizers) == 1 and not any(_may_be_a_model(module, one) for one in beside if one != name)


def _may_be_a_model(module: Place, other: str) -> bool:
    """Tell whether another parameter is called like a model, with one batch: losses have a target as well."""
    calls = module.file.index.calls(other)
    return any(len(call.args) == 1 and isinstance(call.func, (ast.Name, ast.Attribute)) for call, _ in calls)


def _is_as_given(ev: Evaluator, module: Place) -> bool:
    """Tell whether all that is known of a module is that it is one."""
    possible = ev.evaluate(module)
    return bool(possible) and all(one.origin is None and is_module(ev, one.value) for one in possible)
