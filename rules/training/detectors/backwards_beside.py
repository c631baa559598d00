"""The calls of `backward()` that a step of an optimizer goes with: beside it, in a callee, or in a caller's loop.

`optimize_parameters()` of a GAN calls `self.backward_G()` before it steps; the loop of an agent calls
`agent.learn(loss)` and then `agent.update()`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_between
from torchlint.model.training.made_calls import calls_in
from torchlint.model.training.stepping import backwards
from torchlint.model.values.value_sets import Function
from torchlint.syntax.exits import LoopNode, loops_of

from .called_within import within

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_BACKWARD = "backward"


@dataclass(frozen=True, slots=True)
class Beside:
    """A call of `backward()`, and the call in the step's own function that leads to it."""

    backward: Call
    way: Call


def backwards_beside(step: Call, loops: list[LoopNode]) -> Iterator[Beside]:
    """Yield the calls of `backward()` beside a step in its function, in a file those in loops around both."""
    stretch = loops[-1] if loops and step.scope.kind == "file" else step.scope.node
    calls = () if isinstance(stretch, ast.Module) else calls_within(step.file, _BACKWARD, stretch)
    return (Beside(one, one) for one in calls if one.scope is step.scope)


def backward_elsewhere(ev: Evaluator, step: Call) -> Beside | None:
    """Return the first call of `backward()` in the callees of a step's function, or in a loop that calls this."""
    if step.scope.kind != "function":
        return None
    for call, statement in step.file.calls_in_scope(step.scope):
        way = Call(step.file, call, statement)
        if (inner := _within(ev, way)) is not None:
            return Beside(inner, way)
    for caller in ev.callers(Function(step.file, step.scope)):
        file, statement = caller.place.file, caller.place.statement
        loop = next(loops_of(file.index, statement), None)
        for beside in calls_in(file, loop) if loop is not None else ():
            if (inner := _within(ev, beside)) is not None:
                return Beside(inner, step)
    return None


def calls_within(file: ParsedFile, name: str, stretch: ast.stmt) -> Iterator[Call]:
    """Yield the calls with one name between the first and last line of a statement."""
    return calls_between(file, name, stretch.lineno, stretch.end_lineno or stretch.lineno)


def is_plain_backward(ev: Evaluator, backward: Call) -> bool:
    """Tell whether a call of `backward()` is PyTorch's, and no method of the project."""
    return any(one.expression is backward.expression for one in backwards(ev, backward.file))


def _within(ev: Evaluator, call: Call) -> Call | None:
    """Return the first `backward()` of PyTorch that a call runs, or that it is itself."""
    return next((one for one in within(ev, [call]).names(_BACKWARD) if is_plain_backward(ev, one)), None)
