"""Evaluation in a function that trains as well: a loop over batches between its epochs, beside the one that trains."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.values.variable_reads import named_reads, reads_of
from torchlint.syntax.around import loops_around
from torchlint.syntax.exits import LOOPS
from torchlint.syntax.last_names import root_of
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.training.what_trains import Training
    from torchlint.syntax.exits import LoopNode

FILLING = frozenset({"append", "extend", "insert", "add", "update", "setdefault"})
"""Methods that put their arguments into a container."""


def is_between_epochs(training: Training, place: Place) -> bool:
    """Tell whether a place is in a loop over epochs, next to the loop that trains in each of them."""
    around = tuple(loops_around(place))
    if not around or any(training.has_loop(place.file, loop) for loop in around):
        return False
    inside = (node for statement in around[-1].body for node in walk(statement) if isinstance(node, LOOPS))
    return any(training.has_loop(place.file, loop) for loop in inside)


def is_used_by_steps(ev: Evaluator, training: Training, place: Place, loop: LoopNode) -> bool:
    """Tell whether a step of the same function may use what a loop computes: `anchors.append(model(x))`."""
    return any(
        training.has_loop(read.file, one) for read in _reads_of_results(ev, place, loop) for one in loops_around(read)
    )


def _reads_of_results(ev: Evaluator, place: Place, loop: LoopNode) -> Iterator[Place]:
    """Yield the reads of what a loop binds, and of the containers that it fills."""
    for group in place.scope.bindings.values():
        for one in group:
            if one.value is None or not place.file.index.is_in_body(one.statement, loop):
                continue
            # What is computed without recording has no graph that a step could use.
            if is_recorded(bound := Place(place.file, one.value, one.statement)):
                yield from reads_of(ev, place.scope, one.name, bound)
    for call, _ in place.file.calls_within(loop):
        if isinstance(call.func, ast.Attribute) and call.func.attr in FILLING:
            container = root_of(call.func.value)
            if isinstance(container, ast.Name):
                yield from named_reads(place.file, place.scope, container.id)
