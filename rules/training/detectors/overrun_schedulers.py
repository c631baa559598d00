"""Schedulers that are made for fewer steps than the loops of the program make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_anywhere, calls_of
from torchlint.model.guards.catching import is_in_try
from torchlint.model.tensors.counts import ONCE, Count, count_of
from torchlint.pytorch.schedulers import ONE_CYCLE

from .iterations import iterations_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place


@dataclass(frozen=True, slots=True)
class Overrun:
    """A scheduler that is stepped once too often, and the call that does it."""

    made: Call
    step: Call
    told: Count
    taken: Count


def overrun_schedulers(ev: Evaluator, file: ParsedFile) -> Iterator[Overrun]:
    """Yield the schedulers of a file that are surely stepped more often than they are made for, in source order."""
    for made in calls_of(file, frozenset({ONE_CYCLE.name})):
        told = _told(ev, made)
        if told is None or iterations_of(ev, made) != ONCE:
            continue
        for step in calls_anywhere(ev.project, "step"):
            if step.owner is not None and not step.arguments and not is_in_try(step) and _is_of(ev, step.owner, made):
                taken = iterations_of(ev, step)
                if taken is not None and taken.exceeds(told):
                    yield Overrun(made, step, told, taken)
                    break


def _told(ev: Evaluator, made: Call) -> Count | None:
    """Return for how many steps a scheduler is made."""
    if made.is_open:
        return None
    total = made.argument(*ONE_CYCLE.total)
    if total is not None and total.literals != (None,):
        return count_of(ev, total)
    factors = [made.argument(*one) for one in ONE_CYCLE.factors]
    counts = [count_of(ev, one) if one is not None else None for one in factors]
    first, second = counts
    return first.times(second) if first is not None and second is not None else None


def _is_of(ev: Evaluator, owner: Place, made: Call) -> bool:
    origins = {one.origin for one in ev.evaluate(owner)}
    return origins == {made}
