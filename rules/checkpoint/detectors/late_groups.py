"""Groups of parameters that an optimizer gets after its state was loaded, though they were there when it was saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_anywhere, method_calls_of
from torchlint.model.guards.catching import is_in_try
from torchlint.model.roles import are_all
from torchlint.pytorch.roles import Role

from .file_identity import ANY_FILE, files_of
from .order_of_calls import may_follow, precedes
from .reading import read_by, taken
from .saved_contents import Saved, saved_contents

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place


@dataclass(frozen=True, slots=True)
class LateGroup:
    """A load of an optimizer's state, the group that is added later, and the save that comes after that."""

    load: Call
    added: Call
    saved: Place


def late_groups(ev: Evaluator, file: ParsedFile) -> Iterator[LateGroup]:
    """Yield the loads of a file into optimizers that are still to get a group of those that are saved."""
    for load in method_calls_of(file, frozenset({"load_state_dict"})):
        owner, state = load.owner, load.argument("state_dict", 0)
        if owner is None or state is None or is_in_try(load):
            continue
        added = _added_to(ev, owner) if are_all(ev, ev.evaluate(owner), Role.OPTIMIZER) else []
        late = next((one for one in added if precedes(ev, load, one)), None)
        if late is None or any(precedes(ev, one, load) for one in added):
            continue
        saved = next((one for one in _saves_of(ev, state) if may_follow(ev, late, one.call)), None)
        if saved is not None:
            yield LateGroup(load, late, saved.call)


def _added_to(ev: Evaluator, optimizer: Place) -> list[Call]:
    """Return the calls that add a group of parameters to an optimizer."""
    made = {one.origin for one in ev.evaluate(optimizer)}
    calls = calls_anywhere(ev.project, "add_param_group")
    return [one for one in calls if one.owner and any(found.origin in made for found in ev.evaluate(one.owner))]


def _saves_of(ev: Evaluator, state: Place) -> Iterator[Saved]:
    """Yield what the project saves into the file that a state is read from, under the same key."""
    checkpoint, key = taken(state)
    read = read_by(ev, checkpoint, is_as_read=False)
    path = read.argument("f", 0) if read is not None else None
    files = files_of(ev, path) - ANY_FILE if path is not None else frozenset()
    for one in ev.project.once(saved_contents):
        if one.files & files and (one.keys is None or key in one.keys):
            yield one
