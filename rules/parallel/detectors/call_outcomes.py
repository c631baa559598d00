"""The outcomes of tests for which a call leads to a place in its callee.

`load(path, on_all_ranks)` reaches a barrier under `if everywhere:` only if that holds, and `load(path)` never does if
the parameter is False by default. A call without an argument that is required leads nowhere.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.place import Place
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.facts import atoms, in_words

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Caller
    from torchlint.syntax.scope import Parameter

Outcomes: TypeAlias = "Mapping[str, bool]"
"""Tests by their text, with their outcomes."""


def needed_of_caller(ev: Evaluator, place: Place, needed: Outcomes, caller: Caller) -> Outcomes | None:
    """Return the outcomes of a caller's tests for which its call leads to a place, None if it never does.

    `needed` are the conditions of the place itself, by the names of its function. Only flags are followed.
    """
    if any(_is_left_out(place, caller, parameter) for parameter in place.scope.parameters):
        return None
    found: dict[str, bool] = {}
    for name, holds in _flags(place, needed).items():
        parameter = next((one for one in place.scope.parameters if one.name == name), None)
        if parameter is None or len(place.scope.bindings.get(name, ())) > 1:
            continue
        passed = caller.argument(parameter)
        if passed == () and parameter.default is not None and isinstance(place.scope.node, ast.stmt):
            passed = (Place(place.file, parameter.default, place.scope.node),)
        for argument in passed or ():
            if ev.truth(argument) is (not holds):
                return None
            found.update(in_words(*atom) for atom in atoms(argument.expression, holds))
    return found


def _is_left_out(place: Place, caller: Caller, parameter: Parameter) -> bool:
    """Tell whether a call lacks an argument that is required: it raises. A decorator may pass what is not in view."""
    node = place.scope.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.decorator_list or caller.is_of_user:
        return False
    return not parameter.star and parameter.default is None and caller.argument(parameter) == ()


def _flags(place: Place, needed: Outcomes) -> Outcomes:
    tests = (atom for condition in dominating_conditions(place) for atom in atoms(condition.test, condition.holds))
    flags = {test.id: holds for test, holds in tests if isinstance(test, ast.Name)}
    return {**needed, **flags}
