"""What a program puts into a queue that a forked process reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import calls_anywhere
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.values.value_sets import Built
from torchlint.pytorch.processes import QUEUES

from .forks import Fork

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_PUTS = ("put", "put_nowait")


def queued(ev: Evaluator, forks: Iterable[Fork]) -> Iterator[Fork]:
    """Yield the calls that put something into a queue that forked processes received when they started."""
    started = [fork for fork in forks if not fork.is_loader]
    queues = {key for fork in started for given in fork.given for key in _queues(ev, given)}
    forked = {function.scope for fork in started for function in fork.runs}
    for call in (call for name in _PUTS if queues for call in calls_anywhere(ev.project, name)):
        owners = _queues(ev, call.owner) if call.owner is not None else set()
        if call.scope not in forked and owners and owners <= queues and is_reachable(ev, call):
            yield Fork(call, (), given=call.arguments[:1])


def _queues(ev: Evaluator, place: Place) -> set[tuple[object, ...]]:
    """Return where the queues of an expression are made; nothing if it may be anything else."""
    possible = ev.evaluate(place)
    made: set[tuple[object, ...]] = {
        one.origin.key for one in possible if _is_queue(one.value) and one.origin is not None
    }
    return made if len(made) == len(possible) else set()


def _is_queue(value: object) -> bool:
    return isinstance(value, Built) and value.name in QUEUES
