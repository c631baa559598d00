"""Calls that write something into a file, and what that is: `torch.save({"model": state}, path)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.containers.lists import kept_as
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import Imported, ValueSet
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.companions import torch_xla
from torchlint.pytorch.companions.safetensors import SAVE_FILE
from torchlint.pytorch.symbols import SAVE

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_SAVING = {"save": (SAVE, torch_xla.SAVE), "save_file": (SAVE_FILE,)}

_PATHS = ("f", "filename")


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


def what_is_saved(ev: Evaluator, call: Place) -> tuple[Place, ValueSet]:
    """Return the argument of a saving call that goes into the file, and what it may be."""
    node = call.expression
    assert isinstance(node, ast.Call)
    match node.args[0]:
        case ast.Starred(value=collected):
            # `def save_on_master(*args): torch.save(*args)` saves the first of its arguments.
            whole = call.at(collected)
            return whole, either(*(ev.item((one, 0)) for one in ev.evaluate(whole)))
        case first:
            return call.at(first), ev.evaluate(call.at(first))


def path_of_save(call: Place) -> Place | None:
    """Return the argument that names the file, if the saving call has one."""
    match call.expression:
        case ast.Call(args=[what, path, *_]) if not isinstance(what, ast.Starred):
            return call.at(path)
        case ast.Call(keywords=keywords):
            return next((call.at(word.value) for word in keywords if word.arg in _PATHS), None)
        case _:
            return None


def parts_of(written: Place) -> Iterator[Place]:
    """Yield what a container holds: written in it, or stored under keys later."""
    match written.expression:
        case ast.Dict(values=values) | ast.List(elts=values) | ast.Tuple(elts=values):
            for value in values:
                yield written.at(value)
        case ast.DictComp(value=ast.Call(func=ast.Attribute(attr="state_dict")) as state):
            yield written.at(state)
        case ast.DictComp(
            key=ast.Name(), generators=[ast.comprehension(iter=ast.Call(func=ast.Attribute(value=source)))]
        ):
            # `{k: v.cpu() for k, v in model.state_dict().items()}` keeps the keys.
            yield written.at(source)
    yield from stored_into(written)


def stored_into(written: Place) -> Iterator[Place]:
    """Yield the places of what is stored into a container by key after it was written."""
    name = kept_as(written)
    for store in written.file.stores.items_in(written.scope, name) if name is not None else ():
        if store.value is not None and not store.selector:
            yield Place(written.file, store.value, store.statement, written.frame, written.given)
