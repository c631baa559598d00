"""How the project loads what wrappers saved: into wrappers again, without the prefix, or into bare modules.

A file whose keys start with `module.` cannot be loaded into the bare module. A project that removes the prefix on
loading handles that; if it always wraps before it loads, its own programs run, and others fail. That takes evidence on
both sides. For it: at least one load is of this very model, by its class, its wrapping call or the file's name, and its
receiver may be a wrapper, or the load removes the prefix. Against it: a load that is of this model and whose receiver
is bare; one whose receiver is unknown but that reads what is saved so, under the same key, unless a load of this model
removes the prefix. A load that reads, by its name, a file that something else saves is not of this one, and an unknown
receiver that a program makes itself is no such receiver if the class of the saved module is known. If one repository
has several programs that share no file, each is assumed to read what it saves itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum, auto
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.call_graph.importing import program_files
from torchlint.model.checkpoints.checkpoint_names import may_be_one_file, names_of_file
from torchlint.model.checkpoints.saving import path_of_save, saving_calls
from torchlint.model.parallel.wrappers import unwrapped, wrapping
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Class, Instance, Possibility, Tensor, Unknown
from torchlint.pytorch.symbols import MODULE, SAVE

from .apart import are_apart
from .loaded_checkpoints import LoadedCheckpoint, filled_by, loaded_checkpoints
from .saved_keys import is_of_no_parameter, is_saved_whole, saved_under, saved_within_dict

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

    from .saves import WrappedSave


class Fit(IntEnum):
    """What a load does with keys that start with a wrapper's prefix, worst first."""

    FAILS = auto()
    MAY_WRAP = auto()
    TAKES_OFF = auto()
    WRAPS = auto()


@dataclass(frozen=True, slots=True)
class Reading:
    """How the project loads what was saved, and into what; `FAILS` if no load of it is known."""

    fit: Fit
    into: Place | None = None


def reading_of(ev: Evaluator, save: WrappedSave) -> Reading:
    """Return how a project loads what a wrapper saved, as the worst of its loads does.

    A load that only may be of this file says nothing against one that is and removes the prefix, and nothing at all
    unless it reads alike: the weights of a teacher come from anywhere. Nor does what is read and not seen to be loaded
    say anything against loads.
    """
    found: dict[Fit, LoadedCheckpoint] = {}
    may_fail = False
    loads = [load for load in ev.project.once(loaded_checkpoints) if not _is_another_file(ev, save, load)]
    for load in loads:
        fit, is_of_this = _fit(ev, save, load)
        if fit is None or (fit < Fit.TAKES_OFF and _is_of_another(ev, save, load, loads)):
            continue
        if fit is Fit.FAILS:
            if is_of_this and _is_entered(ev, load):
                return Reading(Fit.FAILS)
            may_fail |= load.into is not None and (is_of_this or _reads_alike(save, load))
        elif is_of_this:
            found.setdefault(fit, load)
    if not found or (may_fail and Fit.TAKES_OFF not in found):
        return Reading(Fit.FAILS)
    return Reading(worst := min(found), found[worst].into)


def _reads_alike(save: WrappedSave, load: LoadedCheckpoint) -> bool:
    """Tell whether a load takes a state dict from the key it is saved under, or fills any module with a whole file."""
    if (key := saved_under(save.place)) is not None:
        return key == load.key
    return is_saved_whole(save.place, save.saved_at) and load.into is not None and _is_given(load.into)


def _is_entered(ev: Evaluator, load: LoadedCheckpoint) -> bool:
    """Tell whether the project calls what reads a file: a method that it only offers shows nothing of its files."""
    return not load.read.scope.is_method or bool(ev.callers_of(load.read.file, load.read.scope))


def _is_of_another(ev: Evaluator, save: WrappedSave, load: LoadedCheckpoint, loads: list[LoadedCheckpoint]) -> bool:
    return _is_made_otherwise(save, load) or _reads_its_own(ev, save, load, loads)


def _reads_its_own(ev: Evaluator, save: WrappedSave, load: LoadedCheckpoint, loads: list[LoadedCheckpoint]) -> bool:
    """Tell whether a load is of another program of the repository, which saves checkpoints for itself.

    A load is that as well beside another one that handles what wrappers save, which reads what the first program saved.
    """
    here, there = save.place.file, load.read.file
    if here is there or program_files(ev, there).isdisjoint(ev.project.library.holding(SAVE)):
        return False
    beside = (one for one in loads if one.read.file is there and one.read.key != load.read.key)
    return are_apart(ev, here, there) or any(one.knows_of(save.wrapping.prefix) for one in beside)


def needing_prefix(ev: Evaluator, save: WrappedSave) -> Iterator[Place]:
    """Yield what would fail on bare keys if a save did without its wrapper: the receivers, or the loads."""
    saved, prefix = _kinds(ev, save.wrapping.possibility), save.wrapping.prefix
    for load in ev.project.once(loaded_checkpoints):
        if _is_another_file(ev, save, load):
            continue
        possible = filled_by(ev, load, saved_under(save.place))
        related = [one for one in possible if _is_related(ev, saved, one, is_open=True)]
        if (related or not possible) and load.needs(prefix):
            yield load.read
        elif (
            load.into is not None
            and not (load.knows_of(prefix) or load.is_passed_to_code_for(prefix))
            and any(wrapping(ev, one) for one in related)
        ):
            yield load.into


def _is_another_file(ev: Evaluator, save: WrappedSave, load: LoadedCheckpoint) -> bool:
    """Tell whether a load surely reads another file than a save writes, or something else in it."""
    key = saved_under(save.place)
    if key is not None and (loaded_key := load.key) is not None and key != loaded_key:
        return True
    if (load.is_at_top and saved_within_dict(save.place)) or (
        is_of_no_parameter(load.key) and is_saved_whole(save.place, save.saved_at)
    ):
        return True
    if save.path is None or load.source is None:
        return False
    return not may_be_one_file(ev, save.path, load.source) or _has_a_save_of_its_own(ev, save.path, load.source)


def _has_a_save_of_its_own(ev: Evaluator, saved: Place, loaded: Place) -> bool:
    """Tell whether what a load reads is what something else saves, by the same name: `self.file` of one class."""
    own, other = names_of_file(ev, saved), names_of_file(ev, loaded)
    if not own or not own.isdisjoint(other):
        return False
    return any(names & other for names in ev.project.once(_names_of_saved_files))


def _names_of_saved_files(ev: Evaluator) -> tuple[frozenset[str], ...]:
    paths = map(path_of_save, saving_calls(ev))
    return tuple(names_of_file(ev, path) for path in paths if path is not None)


def _is_made_otherwise(save: WrappedSave, load: LoadedCheckpoint) -> bool:
    """Tell whether a load is of a file that is a state dict itself, and a save stores it under a key."""
    return load.is_all and saved_under(save.place) is not None


def _fit(ev: Evaluator, save: WrappedSave, load: LoadedCheckpoint) -> tuple[Fit | None, bool]:
    """Return what a load does with the keys, None if it is not of the module, and whether it surely is of it."""
    possible = filled_by(ev, load, saved_under(save.place))
    saved, prefix = _kinds(ev, save.wrapping.possibility), save.wrapping.prefix
    is_same_file = _is_same_file(ev, save, load)
    is_open = not saved or is_same_file or load.into is None or _is_given(load.into)
    related = [one for one in possible if _is_related(ev, saved, one, is_open=is_open)]
    # Where the target is unknown, code that strips the prefix of all it reads matches the code that added it.
    is_stripped = load.knows_of(prefix) or load.is_passed_to_code_for(prefix)
    if is_stripped and all(isinstance(one.value, (Unknown, Tensor)) for one in possible):
        return Fit.TAKES_OFF, True
    if possible and not related:
        return None, False
    wrapped = [found for one in related if (found := wrapping(ev, one)) is not None]
    is_of_this = is_same_file or any(one.place.key == save.wrapping.place.key for one in wrapped)
    is_of_this = is_of_this or any(saved & _kinds(ev, one) for one in related)
    # A helper that removes the prefix serves many models: whether it does here shows where the load is of this one.
    is_of_model = bool(related) and all(saved & _kinds(ev, one) for one in possible if is_module(ev, one.value))
    if load.knows_of(prefix) or (is_of_model and is_stripped):
        # The same holds where the saved value is unknown.
        return Fit.TAKES_OFF, is_of_this or (not saved and bool(related) and load.knows_of(prefix))
    if not wrapped or any(one.prefix != prefix for one in wrapped):
        # One of the classes that are saved may be loaded in another way than the others.
        kinds = {kind for one in related for kind in _kinds(ev, one)}
        return Fit.FAILS, is_of_this and (is_same_file or saved <= kinds)
    return Fit.WRAPS if len(wrapped) == len(related) else Fit.MAY_WRAP, is_of_this


def _is_related(ev: Evaluator, saved: frozenset[Class | str], one: Possibility, *, is_open: bool) -> bool:
    """Tell whether the receiver of a load may be the module that was saved; an unknown one may if that is open."""
    # An unknown value that is moved counts as a tensor, but no tensor has a `load_state_dict()`.
    if isinstance(one.value, (Unknown, Tensor)):
        return is_open
    return is_module(ev, one.value) and _may_be_alike(saved, _kinds(ev, one))


def _is_given(into: Place) -> bool:
    """Tell whether the receiver is an argument of the function: it may be the saved module.

    An unknown one that a program makes itself is not assumed to be that, if the class of the saved one is known.
    """
    match into.expression:
        case ast.Name(id=name):
            return any(one.kind == "parameter" for one in into.scope.bindings.get(name, ()))
        case ast.Attribute(attr=name):
            stores = into.file.index.attribute_stores(name)
            values = (Place(into.file, one.value, one.statement) for one in stores if one.value is not None)
            return any(isinstance(one.expression, ast.Name) and _is_given(one) for one in values)
        case _:
            return False


def _is_same_file(ev: Evaluator, save: WrappedSave, load: LoadedCheckpoint) -> bool:
    if save.path is None or load.source is None:
        return False
    return bool(names_of_file(ev, save.path) & names_of_file(ev, load.source))


def _kinds(ev: Evaluator, one: Possibility) -> frozenset[Class | str]:
    """Return the classes that a module, or the one inside a wrapper, may be of; none if unknown."""
    inner = unwrapped(ev, one)
    found: set[Class | str] = set()
    for module in (one,) if inner is None else inner:
        match module.value:
            case Instance(kind=kind):
                found |= {kind, *ev.subclasses(kind)}
            case Built(name=name) if name != MODULE:
                found.add(name)
            case _:
                return frozenset()
    return frozenset(found)


def _may_be_alike(left: frozenset[Class | str], right: frozenset[Class | str]) -> bool:
    return not left or not right or bool(left & right)
