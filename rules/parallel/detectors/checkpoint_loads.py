"""State dicts that are saved bare and loaded into a wrapper of the same project."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.checkpoints.checkpoint_names import names_of_file
from torchlint.model.checkpoints.saving import parts_of, saving_calls
from torchlint.model.facts import fact_of_each_file
from torchlint.model.parallel.wrappers import Wrapping, makes_data_parallel, wrapper_name, wrapping
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Display, Imported, StateDict
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.symbols import DATA_PARALLEL, DISTRIBUTED, LOAD

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


@dataclass(frozen=True, slots=True)
class BareLoad:
    """A wrapper that loads a state dict whose keys have no prefix."""

    place: Place
    saved: Place
    wrapping: Wrapping


@dataclass(frozen=True, slots=True)
class _Saved:
    path: frozenset[str]
    owner: Place
    is_bare: bool


@fact_of_each_file
def bare_loads(ev: Evaluator) -> dict[str, list[BareLoad]]:
    """Return where a project loads into DataParallel or DistributedDataParallel what it saved bare, by file."""
    by_path: dict[str, list[BareLoad]] = {}
    if not ev.project.once(makes_data_parallel):
        return by_path
    loads = list(_loads(ev))
    saves = [one for call in saving_calls(ev) for one in _saved(ev, call)] if loads else []
    for place, path, wrapped in loads:
        matching = [one for one in saves if one.path & path]
        if matching and all(one.is_bare for one in matching):
            by_path.setdefault(place.path, []).append(BareLoad(place, matching[0].owner, wrapped))
    return by_path


_NO_FILES: frozenset[str] = frozenset()
_NO_OWNERS: tuple[Place, ...] = ()


def _loads(ev: Evaluator) -> Iterator[tuple[Place, frozenset[str], Wrapping]]:
    """Yield the strict loads into what surely is a wrapper, with the name of the file."""
    for location in ev.project.library.holding("load_state_dict"):
        file = ev.project.parsed(location)
        for call, statement in file.index.calls("load_state_dict") if file is not None else ():
            if file is None or not isinstance(call.func, ast.Attribute) or len(call.args) != 1 or call.keywords:
                continue
            place = Place(file, call, statement)
            possible = ev.evaluate(place.at(call.func.value))
            wrapped = [wrapping(ev, one) for one in possible]
            first = wrapped[0] if wrapped else None
            if first is None or any(one is None or one.name not in {DATA_PARALLEL, DISTRIBUTED} for one in wrapped):
                continue
            if (path := _read_from(ev, place.at(call.args[0]))) and not file.holds_text("module."):
                yield place, path, first


@tabled(_NO_FILES)
def _read_from(ev: Evaluator, state: Place) -> frozenset[str]:
    """Return the name of the file that a state dict is read from, whole or by a key."""
    match state.expression:
        case ast.Subscript(value=value):
            return _read_from(ev, state.at(value))
        case ast.Name(id=name):
            bindings = state.scope.bindings.get(name, ())
            if len(bindings) == 1 and bindings[0].kind == "assign" and bindings[0].value is not None:
                inner = Place(state.file, bindings[0].value, bindings[0].statement, state.frame, state.given)
                return _read_from(ev, inner)
            return frozenset()
        case ast.Call(func=function, args=[path, *_]):
            callees = {
                canonical(o.value.name) for o in ev.evaluate(state.at(function)) if isinstance(o.value, Imported)
            }
            return names_of_file(ev, state.at(path)) if LOAD in callees else frozenset()
        case _:
            return frozenset()


def _saved(ev: Evaluator, call: Place) -> Iterator[_Saved]:
    node = call.expression
    assert isinstance(node, ast.Call)
    if len(node.args) < 2:
        return
    path = names_of_file(ev, call.at(node.args[1]))
    for owner in _owners(ev, call.at(node.args[0])):
        possible = ev.evaluate(owner)
        modules = [one for one in possible if is_module(ev, one.value)]
        if modules or not possible:
            yield _Saved(path, owner, bool(modules) and all(wrapper_name(ev, one) is None for one in possible))


@tabled(_NO_OWNERS)
def _owners(ev: Evaluator, saved: Place) -> tuple[Place, ...]:
    found: list[Place] = []
    for one in ev.evaluate(saved):
        match one.value:
            case StateDict(owner=owner):
                found.append(owner)
            case Display(place=written):
                found += [owner for part in parts_of(written) for owner in _owners(ev, part)]
    return tuple(found)
