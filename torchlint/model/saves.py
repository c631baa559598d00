"""What a project saves: the state dicts of wrappers, and wrappers pickled whole."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from torchlint.model.lists import kept_as
from torchlint.model.place import Place
from torchlint.model.putting_back import is_put_back, needing_prefix
from torchlint.model.torch_facts import canonical
from torchlint.model.values import Display, Imported, Possibility, Possible, StateDict, either
from torchlint.model.wrappers import Wrapping, makes_wrappers, wrapping

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.evaluator import Evaluator

_SAVING = {"save": ("torch.save", "torch_xla.core.xla_model.save"), "save_file": ("safetensors.torch.save_file",)}
_PATHS = ("f", "filename")
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class WrappedSave:
    """A wrapper whose state dict, or which itself, goes into a file."""

    place: Place
    """`model.state_dict()`, or the pickled module."""
    saved_at: Place
    wrapping: Wrapping
    is_pickled: bool
    story: tuple[Step, ...]
    needed_by: tuple[Place, ...] = ()
    """What the project fills or loads that needs the prefix in the keys."""

    @property
    def path(self) -> Place | None:
        """Return what names the file, where the call that writes it says so itself."""
        match self.saved_at.expression:
            case ast.Call(args=[what, path, *_]) if not isinstance(what, ast.Starred):
                return self.saved_at.at(path)
            case ast.Call(keywords=keywords):
                return next((self.saved_at.at(word.value) for word in keywords if word.arg in _PATHS), None)
            case _:
                return None


def wrapped_saves(ev: Evaluator) -> dict[str, list[WrappedSave]]:
    """Return what the project saves through a wrapper, by the file in which the state dict is taken."""
    found: dict[tuple[object, ...], WrappedSave] = {}
    if not ev.project.once(makes_wrappers):
        return {}
    for call in saving_calls(ev):
        what, possible = what_is_saved(ev, call)
        for save in _among(ev, what, possible, call, ()):
            found.setdefault((save.place.key, save.wrapping.name), save)
    by_path: dict[str, list[WrappedSave]] = {}
    for save in sorted(found.values(), key=lambda save: save.place.key):
        if not _is_stripped(save) and not _is_sharded(save) and (save.is_pickled or not is_put_back(ev, save)):
            needed_by = () if save.is_pickled else tuple(needing_prefix(ev, save))
            by_path.setdefault(save.place.path, []).append(replace(save, needed_by=needed_by))
    return by_path


def saving_calls(ev: Evaluator) -> Iterator[Place]:
    """Yield the calls of a project that write something into a file."""
    for name, full in _SAVING.items():
        for path in ev.project.library.holding(f"{name}("):
            file = ev.project.parsed(path)
            for call, statement in file.index.calls(name) if file is not None else ():
                if file is None or not call.args:
                    continue
                place = Place(file, call, statement)
                callees = ev.evaluate(place.at(call.func))
                if any(isinstance(one.value, Imported) and canonical(one.value.name) in full for one in callees):
                    yield place


def what_is_saved(ev: Evaluator, call: Place) -> tuple[Place, Possible]:
    """Return the argument of a saving call that goes into the file, and what that may be."""
    node = call.expression
    assert isinstance(node, ast.Call)
    match node.args[0]:
        case ast.Starred(value=collected):
            # `def save_on_master(*args): torch.save(*args)` saves the first of what it is given.
            whole = call.at(collected)
            return whole, either(*(ev.item((one, 0)) for one in ev.evaluate(whole)))
        case first:
            return call.at(first), ev.evaluate(call.at(first))


def _among(
    ev: Evaluator, place: Place, possible: Possible, saved_at: Place, story: tuple[Step, ...], depth: int = 0
) -> Iterator[WrappedSave]:
    """Yield the wrappers in what an expression may be: in a state dict, in a dict of them, or the module itself.

    `story` is how the container around it came to the call that saves.
    """
    for one in possible if depth <= _DEEPEST else ():
        way = tuple(dict.fromkeys((*one.story, *story)))
        match one.value:
            case StateDict(owner=owner):
                yield from _of_owner(ev, owner, one, saved_at, way)
            case Display(place=written):
                for part in parts_of(written):
                    yield from _among(ev, part, ev.evaluate(part), saved_at, way, depth + 1)
            case _ if (wrapped := wrapping(ev, one)) is not None:
                yield WrappedSave(place, saved_at, wrapped, True, way)


def _of_owner(
    ev: Evaluator, owner: Place, state: Possibility, saved_at: Place, story: tuple[Step, ...]
) -> Iterator[WrappedSave]:
    assert state.origin is not None
    for one in ev.evaluate(owner):
        if (wrapped := wrapping(ev, one)) is not None:
            yield WrappedSave(state.origin, saved_at, wrapped, False, tuple(dict.fromkeys((*one.story, *story))))


def parts_of(written: Place) -> Iterator[Place]:
    """Yield the places of what a container holds: written in it, or stored into it by key later."""
    match written.expression:
        case ast.Dict(values=values) | ast.List(elts=values) | ast.Tuple(elts=values):
            for value in values:
                yield written.at(value)
        case ast.DictComp(
            key=ast.Name(), generators=[ast.comprehension(iter=ast.Call(func=ast.Attribute(value=source)))]
        ):
            # `{k: v.cpu() for k, v in model.state_dict().items()}` keeps the keys.
            yield written.at(source)
    name = kept_as(written)
    for store in written.file.item_stores(written.scope, name) if name is not None else ():
        if store.value is not None and not store.selector:
            yield Place(written.file, store.value, store.statement, written.frame, written.given)


def _is_sharded(save: WrappedSave) -> bool:
    """Tell whether the code that saves asks FSDP for the kind of state dict: it saves no other wrapper's, and whole."""
    calls = (*save.saved_at.file.index.calls("state_dict_type"), *save.saved_at.file.index.calls("set_state_dict_type"))
    return any(save.saved_at.file.index.home[statement][0].scope is save.saved_at.scope for _, statement in calls)


def _is_stripped(save: WrappedSave) -> bool:
    """Tell whether the file that saves also takes the prefix off again: it knows what it does."""
    return save.place.file.holds_text(save.wrapping.prefix)
