"""Losses of what `all_gather` brought from all ranks, through which no gradient goes back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.model.results.own_functions import is_own_function
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.training.reaching_losses import reaches_loss
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Function, Tensor
from torchlint.model.values.variable_reads import named_reads
from torchlint.pytorch.gathers import GATHER, GIVEN, RESULTS

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.training.call_paths import Story


@dataclass(frozen=True, slots=True)
class CutGather:
    """A call that gathers what a loss is computed of, what it writes and is given, and the way from a loop to it."""

    call: Call
    results: Place
    given: Place
    story: Story


def cut_gathers(ev: Evaluator, file: ParsedFile) -> Iterator[CutGather]:
    """Yield the gathers of a file that leave a loss without gradients for what is gathered, in source order."""
    training = step_loops_of(ev.project)
    for call in calls_of(file, frozenset({GATHER})) if training.is_in(file) else ():
        results, given = call.argument(RESULTS, 0), call.argument(GIVEN, 1)
        if results is None or given is None or not is_recorded(call) or is_own_function(ev, Function(file, call.scope)):
            continue
        if not isinstance(results.expression, ast.Name) or not isinstance(given.expression, ast.Name):
            continue
        if not any(isinstance(one.value, Tensor) and one.value.graph is True for one in ev.evaluate(given)):
            continue  # data has no gradient to lose
        if _is_put_back(results) or (story := training.every_step(call)) is None:
            continue
        below = [one for one in named_reads(file, call.scope, results.expression.id) if one.line > call.line]
        if reaches_loss(ev, below) and not _comes_otherwise(ev, given):
            yield CutGather(call, results, given, story)


def _is_put_back(results: Place) -> bool:
    """Tell whether the function puts something else among the results: `parts[rank] = x`."""
    stores = (one for one in results.file.index.stores if isinstance(one.key, ast.expr))
    return any(isinstance(one.target, ast.Name) and one.target.id == results.code for one in stores)


def _comes_otherwise(ev: Evaluator, given: Place) -> bool:
    """Tell whether what is gathered comes into the loss by another way: `x @ gather(x).T`."""
    starts = list(_other_reads(given))
    parameter = next((one for one in given.scope.parameters if one.name == given.code), None)
    if parameter is not None:
        for caller in ev.callers(Function(given.file, given.scope)):
            starts += (read for passed in caller.argument(parameter) or () for read in _other_reads(passed))
    return reaches_loss(ev, starts)


def _other_reads(given: Place) -> Iterator[Place]:
    if isinstance(given.expression, ast.Name):
        reads = named_reads(given.file, given.scope, given.code)
        yield from (one for one in reads if one.expression is not given.expression)
