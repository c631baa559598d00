"""What a project saves into which file: a state dict, or a dict with the keys that are written in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.checkpoints.saving import path_of_save, saving_calls, what_is_saved
from torchlint.model.containers.lists import kept_as, stores_into
from torchlint.model.values.value_sets import Display, Possibility, StateDict

from .file_identity import ANY_FILE, files_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

# What changes the keys of a dict, after which they are unknown.
_CHANGING = ("update", "pop", "setdefault", "clear")


@dataclass(frozen=True, slots=True)
class Saved:
    """One thing that a call saves, and the files that it may be saved into."""

    call: Place
    files: frozenset[str]
    is_state: bool
    """Whether it is the state dict of a module."""
    keys: Mapping[str, bool] | None
    """The keys of a dict, each with whether a state dict is under it; None where it is none, or open."""

    @property
    def is_checkpoint(self) -> bool:
        """Tell whether it is a dict that holds a state dict beside other things, or alone."""
        return self.keys is not None and any(self.keys.values())


def saved_contents(ev: Evaluator) -> tuple[Saved, ...]:
    """Return what a project saves, in the order of its files."""
    return tuple(one for call in saving_calls(ev) for one in _saved_by(ev, call))


def saved_into(ev: Evaluator, path: Place) -> list[Saved]:
    """Return all that the project saves into a file, nothing where that may be another one or hold more."""
    files = files_of(ev, path)
    if not files or files & ANY_FILE:
        return []
    saved = [one for one in ev.project.once(saved_contents) if one.files & (files | ANY_FILE)]
    known = frozenset().union(*(one.files for one in saved))
    return saved if files <= known else []


def _saved_by(ev: Evaluator, call: Place) -> Iterator[Saved]:
    path = path_of_save(call)
    files = files_of(ev, path) if path is not None else ANY_FILE
    possible = what_is_saved(ev, call)[1]
    for one in possible:
        yield Saved(call, files, _is_state(ev, (one,)), _keys(ev, one))
    if not possible:
        yield Saved(call, files, False, None)


def _is_state(ev: Evaluator, possible: tuple[Possibility, ...]) -> bool:
    """Tell whether every value of an expression is the state dict of a module."""
    owners = [ev.evaluate(one.value.owner) if isinstance(one.value, StateDict) else () for one in possible]
    return bool(owners) and all(any(is_module(ev, owner.value) for owner in some) for some in owners)


def _keys(ev: Evaluator, one: Possibility) -> dict[str, bool] | None:
    """Return the keys of a dict that is written with all of them."""
    match one.value:
        case Display(place=written) if isinstance(written.expression, ast.Dict):
            stored = [(store.key, store.value) for store in stores_into(written)]
            pairs = [*zip(written.expression.keys, written.expression.values, strict=True), *stored]
        case _:
            return None
    name = kept_as(written)
    if name is not None and any(any(written.file.method_calls_on(name, method)) for method in _CHANGING):
        return None
    keys = [key.value for key, _ in pairs if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    values = [value for _, value in pairs if value is not None]
    if len(keys) < len(pairs) or len(values) < len(pairs):
        return None
    states = [_is_of_object(ev.evaluate(written.at(value))) for value in values]
    return dict(zip(keys, states, strict=True))


def _is_of_object(possible: tuple[Possibility, ...]) -> bool:
    """Tell whether something is the state dict of an object, be that a module or not."""
    return bool(possible) and all(isinstance(one.value, StateDict) for one in possible)
