"""Modules that a loss is computed with, and that no optimizer is given: their parameters stay as they began."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.modules.trainable import is_trainable
from torchlint.model.place import Place
from torchlint.model.roles import is_a
from torchlint.model.test_files import is_of_tests
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Class, Instance
from torchlint.pytorch.roles import Role
from torchlint.syntax.around import class_around

from .backward_paths import backward_through
from .iteration_order import optimizer_of
from .only_called import calls_only

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class Unoptimized:
    """A module that a training loop computes its loss with, and no optimizer is given."""

    made: Call
    used: Place
    """Where it is called."""
    backward: Place
    optimizer: Place
    """Where the optimizer is made that steps in the same loop."""


def unoptimized_modules(ev: Evaluator, file: ParsedFile) -> Iterator[Unoptimized]:
    """Yield the modules with parameters that a file makes and trains nowhere, in source order."""
    if not step_loops_of(ev.project).is_anywhere or is_of_tests(file):
        return
    words = frozenset(word for word in file.index.called_names() if word[:1].isupper())
    for made in method_calls_of(file, words):
        if (around := class_around(made)) is not None and is_module(ev, Instance(Class(file, around))):
            continue
        possible = ev.evaluate(made)
        if len(possible) == 1 and is_trainable(ev, possible[0]) and (calls := calls_only(ev, made)):
            yield from _trained_nowhere(ev, made, calls)


def _trained_nowhere(ev: Evaluator, made: Call, calls: list[Place]) -> Iterator[Unoptimized]:
    """Yield a module that is never more than called, where a loss that is computed with it goes back to it."""
    for used in calls:
        if not is_recorded(used) or step_loops_of(ev.project).every_step(used) is None:
            continue
        backward = backward_through(ev, [used], used)
        optimizer = _stepped_beside(ev, backward) if backward is not None else None
        if backward is not None and optimizer is not None:
            yield Unoptimized(made, used, backward, optimizer)
            return


def _stepped_beside(ev: Evaluator, backward: Place) -> Place | None:
    """Return where the one optimizer is made that steps in the function of a `backward()`, None for several."""
    found = set()
    for node, statement in backward.file.calls_in_scope(backward.scope):
        call = call_at(Place(backward.file, node, statement))
        if call is not None and call.method == "step" and (optimizer := optimizer_of(call)) is not None:
            possible = ev.evaluate(optimizer)
            if possible and all(is_a(ev, one.value, Role.OPTIMIZER) for one in possible):
                found |= {one.origin for one in possible}
    return found.pop() if len(found) == 1 else None
