"""Objects that a project saves into a file and `weights_only=True` refuses: `{"model": state, "args": args}`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.attributes.namespaces import NAMESPACES
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.checkpoints.saving import path_of_save, saving_calls, what_is_saved
from torchlint.model.values.def_use import ancestors, uses_of
from torchlint.model.values.value_sets import Built, Display, Instance, Options, Possibility
from torchlint.syntax.last_names import last_name
from torchlint.syntax.walk import written

from .file_identity import ANY_FILE, NO_FILE, files_of

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope

# Text that allows classes in a file of weights.
_ALLOWING = ("safe_globals", "add_safe_globals")
_MAKING = frozenset({"parse_args", "parse_known_args"})


@dataclass(frozen=True, slots=True)
class SavedObject:
    """An object that is saved as an entry of a dict, with all keys of that, or by itself."""

    place: Place
    key: str | None
    keys: frozenset[str]
    files: frozenset[str]


def object_in_file(ev: Evaluator, load: Call, path: Place | None) -> Place | None:
    """Return an object that the project saves into the file that a call loads, by its path or the keys it reads."""
    if any(ev.project.library.holding(word) for word in _ALLOWING):
        return None
    files = files_of(ev, path) - ANY_FILE if path is not None else NO_FILE
    for one in ev.project.once(_saved_objects):
        if one.files & files or _reads_entries_of(ev, load, one):
            return one.place
    return None


def _reads_entries_of(ev: Evaluator, load: Call, saved: SavedObject) -> bool:
    """Tell whether a program reads the object out of what it loads, and nothing that was not saved beside it."""
    read = set(_keys_read(ev, load)) if saved.key is not None else set()
    return saved.key in read and read <= saved.keys


def _keys_read(ev: Evaluator, load: Call) -> Iterator[str]:
    for use in uses_of(ev, load):
        match next(ancestors(use.place), (None, None))[0]:
            case ast.Subscript(slice=ast.Constant(value=str(key))) if use.is_whole and not use.inside:
                yield key
            case _:
                pass


def _saved_objects(ev: Evaluator) -> tuple[SavedObject, ...]:
    return tuple(one for call in saving_calls(ev) for one in _saved_by(ev, call))


def _saved_by(ev: Evaluator, call: Place) -> Iterator[SavedObject]:
    path = path_of_save(call)
    files = files_of(ev, path) - ANY_FILE if path is not None else NO_FILE
    whole, possible = what_is_saved(ev, call)
    if _is_refused(ev, whole):
        yield SavedObject(whole, None, frozenset(), files)
    for one in possible:
        if isinstance(one.value, Display) and isinstance(one.value.place.expression, ast.Dict):
            entries = dict(_entries(one.value.place))
            for key, value in entries.items():
                if _is_refused(ev, value):
                    yield SavedObject(value, key, frozenset(entries), files)


def _entries(display: Place) -> Iterator[tuple[str, Place]]:
    """Yield the keys of a dict that are written as text, each with its value."""
    assert isinstance(display.expression, ast.Dict)
    for key, value in zip(display.expression.keys, display.expression.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value, display.at(value)


def _is_refused(ev: Evaluator, place: Place) -> bool:
    """Tell whether something is surely an object of a class that PyTorch does not allow by itself."""
    possible = ev.evaluate(place)
    return bool(possible) and all(_is_object(ev, one) for one in possible) and not _may_be_dict(ev, place)


def _may_be_dict(ev: Evaluator, place: Place) -> bool:
    """Tell whether something may be the attributes of an object, `vars(args)`, which are looked up as the object is."""
    match place.expression:
        case ast.Call(func=function):
            return last_name(function) not in _MAKING and not isinstance(ev.evaluate(place)[0].value, Built | Instance)
        case ast.Name(id=name) if (scope := place.scope.binder(name)) is not None and _is_assigned(scope, name):
            return any("vars" in written(one.value) for one in scope.bindings[name] if one.value is not None)
        case _:
            return any(True for _ in ev.project.library.holding("vars("))


def _is_assigned(scope: Scope, name: str) -> bool:
    return all(one.kind == "assign" and one.value is not None for one in scope.bindings[name])


def _is_object(ev: Evaluator, one: Possibility) -> bool:
    match one.value:
        case Options():
            return True
        case Built(name=name):
            return name in NAMESPACES
        case Instance():
            # A module is reported as one, with other advice.
            return not is_module(ev, one.value)
        case _:
            return False
