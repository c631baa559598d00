"""`Variable(x, volatile=True)`, which disabled recording until PyTorch 0.4, and has no effect since.

https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated; `Variable(x)` returns `x`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import calls_of
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.values.value_sets import Function
from torchlint.pytorch.symbols import VARIABLE
from torchlint.syntax.last_names import callee_name

from .prepared import is_prepared

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_WITHOUT = (0, 4)
_VARIABLE = frozenset({VARIABLE})
_EVALUATING = re.compile(r"(?<![a-z])(test|val|valid|validate|validation|eval|evaluate|predict|infer|inference|sample"
                         r"|generate|detect|demo)(?![a-z])")  # fmt: skip


@dataclass(frozen=True, slots=True)
class VolatileVariable:
    """A call that requests a variable without recording."""

    call: Call
    argument: Place
    is_evaluated: bool
    """Whether a function that only evaluates computes with it, and records all of that."""


def volatile_variables(ev: Evaluator, file: ParsedFile) -> Iterator[VolatileVariable]:
    """Yield where a file requests variables without recording, and nothing else disables it."""
    target = file.oldest_torch
    if target is not None and target < _WITHOUT:
        return
    for call in calls_of(file, _VARIABLE):
        argument = call.argument("volatile", 2)
        if argument is None or argument.literals == (False,) or is_prepared(ev, call):
            continue
        if call.callee.names <= _VARIABLE and _is_recorded(ev, call):
            yield VolatileVariable(call, argument, argument.literals == (True,) and _only_evaluates(call))


def _is_recorded(ev: Evaluator, call: Place) -> bool:
    """Tell whether autograd records what the function around a call computes, in every call context."""
    if not is_recorded(call):
        return False
    if call.scope.kind != "function":
        return True
    return all(is_recorded(caller.place) for caller in ev.callers(Function(call.file, call.scope)))


def _only_evaluates(call: Place) -> bool:
    """Tell whether the name of the function around a call says that it evaluates, and it calls no `backward`."""
    made = {callee_name(node) for node, _ in call.file.calls_in_scope(call.scope)}
    names = re.sub(r"([a-z])([A-Z])", r"\1_\2", call.scope.name).lower()
    return "backward" not in made and ("eval" in made or _EVALUATING.search(names) is not None)
