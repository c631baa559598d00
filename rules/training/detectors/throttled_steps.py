"""Loops that step with every n-th batch, and zero the gradients then."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_between
from torchlint.model.training.stepping import updating
from torchlint.syntax.walk import written

from .every_nth import every_nth
from .iteration_order import innermost_loop

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.exits import LoopNode


def throttled_step(ev: Evaluator, backward: Call, loop: LoopNode) -> tuple[Call, ast.expr] | None:
    """Return what steps the optimizer of a loop only in every n-th iteration, after which the gradients are zeroed."""
    updates = updating(ev, backward.file)
    steps = [one for one in _calls_in(backward, loop, "step") if one.expression in updates]
    zeroing = _calls_in(backward, loop, "zero_grad")
    numbers = [every_nth(one) for one in (*steps, *zeroing)]
    if not steps or not zeroing or len({written(one) if one is not None else "" for one in numbers}) != 1:
        return None
    number = numbers[0]
    return (steps[0], number) if number is not None and written(number) != "1" else None


def _calls_in(backward: Call, loop: LoopNode, name: str) -> list[Call]:
    """Return the calls of a method in the iterations of a loop itself."""
    calls = calls_between(backward.file, name, loop.lineno, loop.end_lineno or loop.lineno)
    return [one for one in calls if innermost_loop(one) is loop]
