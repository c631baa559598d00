"""Parts of a module with parameters that neither its `forward` nor any other code uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.modules.own_methods import run_by_forward
from torchlint.model.modules.trainable import is_to_be_trained
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Instance
from torchlint.pytorch.symbols import MODULE
from torchlint.syntax.stores import store_target

from .read_parts import is_used, method_around

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Scope, Store

# What a class says that reads its parts without naming them, drops them, or has no gradient for them on purpose.
_UNNAMED = re.compile(r"getattr|setattr|delattr|\bdel |__dict__|_modules|_parameters|children\(|vars\(|eval\(|freez")
_NO_GRADIENT = re.compile(r"requires_grad|no_grad|inference_mode")
# Fine where weights get their first values, which needs no gradient.
_ALL_AT_ONCE = re.compile(r"\bmodules\(|named_modules|parameters\(|checkpoint")


@dataclass(frozen=True, slots=True)
class Part:
    """An attribute that holds parameters, and what is stored there."""

    name: str
    made: Place


_NONE: tuple[Part, ...] = ()


@tabled(_NONE)
def unused_parts(ev: Evaluator, kind: Class) -> tuple[Part, ...]:
    """Return the parts of modules of a class, and of their own parts, that surely get no gradient."""
    classes = _whole_family(ev, kind)
    if classes is None:
        return ()
    found: list[Part] = []
    for name, store, one in _parts(classes):
        assert store.value is not None
        place = Place(one.file, store.value, store.statement)
        possible = ev.evaluate(place)
        if len(possible) != 1:
            continue
        if is_to_be_trained(ev, possible[0]) and not is_used(ev, kind, classes, name):
            found.append(Part(f"self.{name}", place.at(store_target(store))))
        elif isinstance(possible[0].value, Instance):
            found += unused_parts(ev, possible[0].value.kind)
    return tuple(found)


def _whole_family(ev: Evaluator, kind: Class) -> tuple[Class, ...] | None:
    """Return a class and its bases, if all that may use their parts is known by name."""
    bases = list(family(ev, kind))
    classes = tuple(one for one in bases if isinstance(one, Class))
    if [one for one in bases if isinstance(one, str)] != [MODULE] or method_of(ev, kind, "forward") is None:
        return None
    texts = [one.file.code_of(one.scope.node) for one in classes if isinstance(one.scope.node, ast.ClassDef)]
    if any(_UNNAMED.search(text) or _NO_GRADIENT.search(text) for text in texts):
        return None
    running = (method.file.code_of(method.scope.node) for method in run_by_forward(ev, kind).values())
    return None if any(_ALL_AT_ONCE.search(text) for text in running) else classes


def _parts(classes: tuple[Class, ...]) -> Iterator[tuple[str, Store, Class]]:
    """Yield what the constructors that run create for one attribute each, whatever their arguments are."""
    for one in classes:
        binding = next(iter(one.scope.bindings.get("__init__", ())), None)
        init = binding.scope if binding is not None else None
        if init is None or init.returns:
            continue
        for store in one.file.index.stores:
            block, _ = one.file.index.home[store.statement]
            if block.scope is init and block.owner is init.node and isinstance(store.key, str):
                yield from ((store.key, store, one),) if _creates(store, init) and _is_alone(store, classes) else ()
        if ".__init__(" not in one.file.code_of(init.node):
            return


def _creates(store: Store, init: Scope) -> bool:
    match store.statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner))], value=ast.Call()):
            return bool(init.parameters) and owner == init.parameters[0].name
        case _:
            return False


def _is_alone(store: Store, classes: tuple[Class, ...]) -> bool:
    """Tell whether no other store in the methods of some classes is into the same attribute."""
    assert isinstance(store.key, str)
    files = {one.file for one in classes}
    others = (Place(f, one.target, one.statement) for f in files for one in f.index.attribute_stores(store.key))
    return all(other.statement is store.statement or method_around(classes, other) is None for other in others)
