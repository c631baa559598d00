"""Calls that put a module into eval mode: its own `eval()`, or a method of the same object that calls nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call
from torchlint.model.training.evaluation import comes_after_eval
from torchlint.model.values.value_sets import Function
from torchlint.syntax.last_names import called_as

if TYPE_CHECKING:
    import ast

    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_MODES = frozenset({"eval", "train"})
_TRAINING = re.compile(r"train|mode", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Switch:
    """A call after which a module is in eval mode."""

    call: Call
    module: Place
    is_own: bool = True
    """Whether the call is `eval()` of the module itself, and no method that makes it."""


def switches_by_method(ev: Evaluator, switch: Switch) -> Iterator[Switch]:
    """Yield the calls `self.set_eval()` of a method that only switches modes, in other methods of its class."""
    call = switch.call
    if not call.scope.is_method or not switch.module.code.startswith("self.") or not only_switches(call):
        return
    for caller in ev.callers(Function(call.file, call.scope)):
        place = caller.place
        is_of_class = place.file is call.file and place.scope.is_method and place.scope.outer is call.scope.outer
        if is_of_class and place.is_statement and not place.tests:
            yield Switch(Call(place.file, place.expression, place.statement), switch.module, is_own=False)


def only_switches(call: Call) -> bool:
    """Tell whether the function around a call does nothing but switch the modes of modules."""
    calls = [one for one, _ in call.file.calls_in_scope(call.scope)]
    return not call.tests and all(called_as(one) in _MODES for one in calls)


def is_in_force(switch: Switch, call: Call, until: ast.stmt) -> bool:
    """Tell whether a module is still in eval mode at a statement, as far as the function says."""
    if switch.is_own:
        return comes_after_eval(call, until)
    calls = call.file.calls_in_scope(call.scope)
    between = (one for one, _ in calls if switch.call.line < one.lineno < until.lineno)
    return not any(_TRAINING.search(called_as(one)) for one in between)
