"""What a project saves: the state dicts of wrappers, and wrappers pickled whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from torchlint.model.checkpoints.saving import parts_of, path_of_save, saving_calls, what_is_saved
from torchlint.model.facts import fact_of_each_file
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.parallel.wrappers import Wrapping, makes_wrappers, wrapping
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Display, Possibility, StateDict, ValueSet
from torchlint.syntax.closure import closure

from .nested_functions import is_defined_on_another_path
from .reloading import Fit, needing_prefix, reading_of

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator


@dataclass(frozen=True, slots=True)
class WrappedSave:
    """A wrapper whose state dict, or which itself, is saved to a file."""

    place: Place
    """`model.state_dict()`, or the pickled module."""
    saved_at: Place
    wrapping: Wrapping
    is_pickled: bool
    story: tuple[Step, ...]
    needed_by: tuple[Place, ...] = ()
    """What the project fills or loads that needs the prefix in the keys."""
    others: tuple[Wrapping, ...] = ()
    """What else it may be wrapped in, by another branch."""
    put_back_into: Place | None = None
    """What the project loads it into, if it always wraps that first."""

    @property
    def path(self) -> Place | None:
        """Return the argument that names the file, if the saving call has one."""
        return path_of_save(self.saved_at)


@fact_of_each_file
def wrapped_saves(ev: Evaluator) -> dict[str, list[WrappedSave]]:
    """Return what the project saves through a wrapper, by the file in which the state dict is read."""
    found: dict[tuple[object, ...], WrappedSave] = {}
    reached: set[_Held] = set()
    if not ev.project.once(makes_wrappers):
        return {}
    for call in saving_calls(ev):
        if not is_reachable(ev, call):
            continue
        what, possible = what_is_saved(ev, call)
        for save in _among(ev, what, possible, call, reached):
            found.setdefault((save.place.key, save.wrapping.name), save)
    by_path: dict[str, list[WrappedSave]] = {}
    for _, saves in groupby(sorted(found.values(), key=_place_of), _place_of):
        wrong = [judged for save in saves if (judged := _judged(ev, save)) is not None]
        if wrong:
            first, *others = sorted(wrong, key=lambda save: save.put_back_into is not None)
            needed_by = () if first.is_pickled else tuple(needing_prefix(ev, first))
            whole = replace(first, needed_by=needed_by, others=tuple(save.wrapping for save in others))
            by_path.setdefault(first.place.path, []).append(whole)
    return by_path


def _place_of(save: WrappedSave) -> tuple[object, ...]:
    return save.place.key


def _judged(ev: Evaluator, save: WrappedSave) -> WrappedSave | None:
    """Return a save with what the project loads it into; None if its keys have no prefix, or lose it."""
    wrapped = save.wrapping.place
    if _is_sharded(save) or any(exclude_each_other(one, wrapped) for one in (save.place, save.saved_at)):
        return None
    if is_defined_on_another_path(save.place, wrapped):
        return None
    if save.is_pickled:
        return save
    reading = reading_of(ev, save) if save.wrapping.prefix else None
    if reading is None or reading.fit is Fit.TAKES_OFF:
        return None
    return replace(save, put_back_into=reading.into)


@dataclass(frozen=True, slots=True)
class _Held:
    """One thing that a saved expression may be or hold, with the path of the container around it to the save."""

    place: Place
    one: Possibility
    story: tuple[Step, ...] = field(default=(), compare=False)

    @property
    def way(self) -> tuple[Step, ...]:
        return tuple(dict.fromkeys((*self.one.story, *self.story)))


def _among(
    ev: Evaluator, place: Place, possible: ValueSet, saved_at: Place, reached: set[_Held]
) -> Iterator[WrappedSave]:
    """Yield the wrappers in what an expression may be: in a state dict, in a dict of them, or the module itself.

    The first call that saves a part is the one that counts: what was `reached` before is not gone through again.
    """
    for held in (each for one in possible for each in closure(_Held(place, one), partial(_parts, ev), reached)):
        if isinstance(held.one.value, StateDict):
            yield from _of_owner(ev, held.one.value.owner, held.one, saved_at, held.way)
        elif not isinstance(held.one.value, Display) and (wrapped := wrapping(ev, held.one)) is not None:
            yield WrappedSave(held.place, saved_at, wrapped, True, held.way)


def _parts(ev: Evaluator, held: _Held) -> list[_Held]:
    """Return what a container holds, the last first."""
    written = held.one.value.place if isinstance(held.one.value, Display) else None
    parts = parts_of(written) if written is not None else ()
    return [_Held(part, one, held.way) for part in parts for one in ev.evaluate(part)][::-1]


def _of_owner(
    ev: Evaluator, owner: Place, state: Possibility, saved_at: Place, story: tuple[Step, ...]
) -> Iterator[WrappedSave]:
    assert state.origin is not None
    for one in ev.evaluate(owner):
        if (wrapped := wrapping(ev, one)) is not None:
            yield WrappedSave(state.origin, saved_at, wrapped, False, tuple(dict.fromkeys((*one.story, *story))))


def _is_sharded(save: WrappedSave) -> bool:
    """Tell whether the code that saves sets FSDP's type of the state dict: it saves no other wrapper's, and whole."""
    calls = (*save.saved_at.file.index.calls("state_dict_type"), *save.saved_at.file.index.calls("set_state_dict_type"))
    return any(save.saved_at.file.index.home[statement][0].scope is save.saved_at.scope for _, statement in calls)
