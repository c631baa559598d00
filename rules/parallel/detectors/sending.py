"""Sends that return at once, whose tensor is changed before they are done, or whose work nothing keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.training.detectors.in_place import changes_in_place
from torchlint.model.calls import Call, calls_of
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.parallel.gpu_groups import groups_of
from torchlint.pytorch.distributed import SENDING_WHILE_KEPT, SPACES

from .host_collectives import has_its_own_group
from .unawaited import waited_at, work_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_SENDS = frozenset(f"{space}isend" for space in SPACES)


@dataclass(frozen=True, slots=True)
class Unsent:
    """A send, its tensor, the name of its work, and what changes the tensor too early or what made the group.

    A group without a change is one that sends nothing once the work is gone.
    """

    call: Call
    sent: Place
    work: str
    changed: Place | None = None
    group: Call | None = None


def unsent_tensors(ev: Evaluator, file: ParsedFile) -> Iterator[Unsent]:
    """Yield the sends of a file that may send other values, or nothing, in source order."""
    sends = calls_of(file, _SENDS)
    changes = _changes(file) if sends else {}
    for call in sends:
        sent, work = call.argument("tensor", 0), work_of(call)
        if sent is None or work is None:
            continue
        waited = waited_at(call, work)
        if (changed := _first_change(call, sent.code, changes.get(sent.code, ()), waited)) is not None:
            yield Unsent(call, sent, work, changed)
        elif not work and waited is None and (groups := _groups_that_lose_it(ev, call)):
            yield Unsent(call, sent, work, group=groups[0])


def _changes(file: ParsedFile) -> dict[str, list[Place]]:
    """Return what changes a name in place, by that name, in source order."""
    found: dict[str, list[Place]] = {}
    for place, changed in changes_in_place(file):
        found.setdefault(changed.code, []).append(place)
    return {name: sorted(places, key=lambda one: one.line) for name, places in found.items()}


def _first_change(call: Call, name: str, changes: Sequence[Place], waited: int | None) -> Place | None:
    """Return what changes a tensor after a call and before the line of the wait, while its name means the tensor."""
    for place in changes:
        is_between = place.line > call.span.end_line and (waited is None or place.line < waited)
        if is_between and place.scope is call.scope and not exclude_each_other(call, place):
            return None if waited == call.line or _is_bound_between(call, name, place) else place
    return None


def _is_bound_between(call: Call, name: str, changed: Place) -> bool:
    """Tell whether a name is given to something else first."""
    bindings = (one.statement for one in call.scope.bindings.get(name, ()) if one.statement is not changed.statement)
    return any(call.line < one.lineno <= changed.line for one in bindings)


def _groups_that_lose_it(ev: Evaluator, call: Call) -> tuple[Call, ...]:
    """Return the groups of a program that send nothing once a work is gone, none where a call may have another."""
    is_sure = not call.is_open and not has_its_own_group(ev, call) and is_reachable(ev, call)
    return groups_of(ev, call.file, SENDING_WHILE_KEPT) if is_sure else ()
