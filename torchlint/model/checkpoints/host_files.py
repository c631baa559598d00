"""Files that a project writes from the host alone: `net.cpu()`, `torch.save(net.state_dict(), "last.pth")`.

They can be loaded without a GPU. Files are distinguished by their names, where every save and the load leave no choice;
those that differ in what is filled in, `f"data/{split}.pt"`, are taken for one. Where a load does not say which file
it reads, it is one of them if all that the project saves is on the host, and the state of a module is among it, or if
the program that reads it also saves, and runs on the host.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import permutations
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.call_graph.importing import program_files
from torchlint.model.checkpoints.checkpoint_names import file_names, path_of_object
from torchlint.model.checkpoints.opened_files import path_opened
from torchlint.model.checkpoints.saving import parts_of, saving_calls, stored_into
from torchlint.model.devices.host_programs import runs_on_host
from torchlint.model.devices.never_moved import is_never_moved
from torchlint.model.training.counters import is_counter
from torchlint.model.values.joins import is_open
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    HOST,
    Array,
    Display,
    Function,
    Literal,
    Number,
    Possibility,
    StateDict,
    Tensor,
    Text,
)

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_UNNAMED: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class HostFiles:
    """The names of the files into which a project saves what is on the host, and nothing else."""

    names: frozenset[str]
    are_all: bool
    """Whether it saves nothing else anywhere, and the state of a module among it."""


def is_from_host(ev: Evaluator, path: Place) -> bool:
    """Tell whether a load reads a file to which the project surely saves only what is on the host."""
    files = ev.project.once(host_files)
    if names := _own_name(ev, path_opened(ev, path)):
        return names <= files.names
    passed = _identity_of(ev, path)
    return (bool(passed) and passed <= files.names) or files.are_all or _saves_on_host(ev, path.file)


def _saves_on_host(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether the program of a file saves something and runs on the host, whatever others of the project do."""
    saving = ev.project.library.holding("torch.save(")
    return not program_files(ev, file).isdisjoint(saving) and runs_on_host(ev, file)


@tabled(_UNNAMED)
def _identity_of(ev: Evaluator, written: Place) -> frozenset[str]:
    """Return what identifies a file: its name, through callers if need be, or the object whose path it is."""
    path = path_opened(ev, written)
    return _own_name(ev, path) or _named_by_callers(ev, path)


def _own_name(ev: Evaluator, path: Place) -> frozenset[str]:
    """Return what identifies a file as far as the function tells, or whole paths that its callers pass."""
    name = file_names(ev, path) or path_of_object(path)
    if name is not None or not isinstance(path.expression, ast.Name):
        return frozenset({name} if name is not None else ())
    named = [one.value.value for one in ev.evaluate(path) if isinstance(one.value, Literal)]
    files = [one.rpartition("/")[2] for one in named if isinstance(one, str) and one]
    return frozenset(files) if len(files) == len(ev.evaluate(path)) else _UNNAMED


def _named_by_callers(ev: Evaluator, path: Place) -> frozenset[str]:
    """Return the names of the files whose paths the calls of a function pass, if all of them are known."""
    parameter = next((one for one in path.scope.parameters if one.name == path.code), None)
    if parameter is None or len(path.scope.bindings.get(parameter.name, ())) != 1:
        return _UNNAMED
    callers = ev.callers(Function(path.file, path.scope))
    passed = [caller.argument(parameter) for caller in callers]
    if not 0 < len(callers) <= MOST_CALLERS or not all(passed):
        return _UNNAMED
    names = [_identity_of(ev, one) for places in passed for one in places or ()]
    return _UNNAMED.union(*names) if all(names) else _UNNAMED


def host_files(ev: Evaluator) -> HostFiles:
    """Return the files into which a project saves what is on the host, and nothing else."""
    found: set[str] = set()
    others: set[str] = set()
    are_all, has_state = True, False
    for path, what in _saved(ev):
        is_on_host = _is_on_host(ev, what)
        (found if is_on_host else others).update(_identity_of(ev, path))
        are_all &= is_on_host
        has_state |= _has_state(ev, what)
    alone = frozenset(name for name in found - others if not any(_is_alike(other, name) for other in others))
    return HostFiles(alone, are_all and has_state)


def _saved(ev: Evaluator) -> Iterator[tuple[Place, Place]]:
    """Yield the paths that a project saves to, and what it saves there."""
    for call in saving_calls(ev):
        assert isinstance(call.expression, ast.Call)
        match call.expression.args:
            case [what, path, *_]:
                yield call.at(path), call.at(what)


def _is_alike(other: str, name: str) -> bool:
    """Tell whether a file may match a name with a star: `a.pt` matches `data/*.pt`."""
    if "/" in other and "/" in name:
        return False
    files = [one.rpartition("/")[2] for one in (other, name)]
    return any(fnmatchcase(one.replace("*", "0"), like) for one, like in permutations(files))


@tabled(False)
def _is_on_host(ev: Evaluator, saved: Place) -> bool:
    possible = ev.evaluate(saved)
    # A counter of steps is often read from the file of an earlier run, whose contents are unknown.
    counts = is_counter(saved.expression)
    return bool(possible) and all((counts and is_open(one)) or _is_one_on_host(ev, one) for one in possible)


def _is_one_on_host(ev: Evaluator, one: Possibility) -> bool:
    match one.value:
        case Literal() | Number() | Text() | Array():
            return True
        case Tensor(device=device):
            return device == HOST
        case StateDict(owner=owner):
            return ev.residence(owner) == HOST or is_never_moved(ev, owner)
        case Display(place=written):
            return all(_is_on_host(ev, part) for part in _held_by(written))
        case _:
            return False


def _held_by(written: Place) -> Iterator[Place]:
    """Yield what a container holds, as it is stored there: `v.cpu()` of `{k: v.cpu() for k, v in state.items()}`."""
    match written.expression:
        case ast.DictComp(value=each) | ast.ListComp(elt=each):
            yield written.at(each)
            yield from stored_into(written)
        case _:
            yield from parts_of(written)


@tabled(False)
def _has_state(ev: Evaluator, saved: Place) -> bool:
    """Tell whether the state of a module may be in what is saved."""
    for one in ev.evaluate(saved):
        match one.value:
            case StateDict():
                return True
            case Display(place=written) if any(_has_state(ev, part) for part in parts_of(written)):
                return True
    return False
