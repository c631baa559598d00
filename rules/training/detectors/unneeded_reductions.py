"""Batches whose gradients are accumulated, and are averaged over all processes with each of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import may_share_program
from torchlint.model.calls import Call, method_calls_of
from torchlint.model.holding import files_holding
from torchlint.model.loop import Loop
from torchlint.model.parallel.wrappers import makes_distributed, wrapping
from torchlint.model.training.stepping import updating
from torchlint.model.values.value_sets import Literal
from torchlint.pytorch.backward import BACKWARD
from torchlint.pytorch.reducers import WITHOUT_REDUCTION
from torchlint.pytorch.symbols import DISTRIBUTED
from torchlint.syntax.exits import loops_of
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import written

from .every_nth import every_nth
from .throttled_steps import throttled_step

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.exits import LoopNode

_ACCUMULATED = re.compile(r"accum|micro", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UnneededReduction:
    """A `backward()` in each iteration, the step that is made after several, and where the module is wrapped."""

    backward: Call
    step: Call
    wrapped: Place


def unneeded_reductions(ev: Evaluator, file: ParsedFile) -> Iterator[UnneededReduction]:
    """Yield the calls of `backward` of a file whose reduction the next one makes again, in source order."""
    if not ev.project.once(makes_distributed) or _chooses(ev, file):
        return
    for backward in method_calls_of(file, frozenset(BACKWARD)):
        loop = next(loops_of(file.index, backward.statement), None)
        if loop is None or backward.owner is None or every_nth(backward) is not None:
            continue
        step = _later_step(ev, backward, loop)
        wrapped = _wrapped(ev, file, loop) if step is not None else None
        if step is not None and wrapped is not None:
            yield UnneededReduction(backward, step, wrapped)


def _chooses(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether a program with a file may leave a reduction out."""
    return any(may_share_program(ev, one, file) for one in files_holding(ev, WITHOUT_REDUCTION))


def _later_step(ev: Evaluator, backward: Call, loop: LoopNode) -> Call | None:
    """Return the step that surely comes after several iterations of a loop: in every n-th, or below the loop."""
    if (found := throttled_step(ev, backward, loop)) is not None:
        step, number = found
        possible = ev.evaluate(step.at(number))
        return step if all(one.value != Literal(1) for one in possible) else None
    return _step_below(ev, backward, loop) if _counts(ev, backward, loop) else None


def _counts(ev: Evaluator, backward: Call, loop: LoopNode) -> bool:
    """Tell whether a loop is for one batch after the other: `for _ in range(accumulation_steps):`."""
    match loop:
        case ast.For(iter=ast.Call(args=[number]) as call) if callee_name(call) == "range":
            values = [one.value for one in ev.evaluate(backward.at(number))]
            counts = [one.value for one in values if isinstance(one, Literal)]
            is_known = bool(values) and len(counts) == len(values)
            return 1 not in counts and (is_known or _ACCUMULATED.search(written(number)) is not None)
        case _:
            return False


def _step_below(ev: Evaluator, backward: Call, loop: LoopNode) -> Call | None:
    """Return what steps an optimizer below a loop, in the loop around it, if nothing steps within."""
    outer = next(loops_of(backward.file.index, loop), None)
    if outer is None:
        return None
    updates = updating(ev, backward.file)
    steps = [one for one in method_calls_of(backward.file, frozenset({"step"})) if one.expression in updates]
    around = [next(loops_of(one.file.index, one.statement), None) for one in steps]
    if loop in around:
        return None
    end = loop.end_lineno or loop.lineno
    below = (one for one, its in zip(steps, around, strict=True) if its is outer and one.statement.lineno > end)
    return next(below, None)


def _wrapped(ev: Evaluator, file: ParsedFile, loop: LoopNode) -> Place | None:
    """Return where a module may be wrapped that each iteration of a loop calls: programs wrap it if they are many."""
    for call in Loop(file, loop).calls():
        for one in ev.evaluate(call.callee):
            found = wrapping(ev, one)
            if found is not None and found.name == DISTRIBUTED and one.origin is not None:
                return one.origin
    return None
