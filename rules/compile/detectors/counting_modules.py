"""Ints that the compiled modules of a program have, and that change with every step."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.modules.made_of import class_key
from torchlint.model.modules.own_methods import run_by_forward
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.place import Place
from torchlint.model.training.throttles import is_thinned
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Class, Instance, Literal
from torchlint.syntax.stores import store_target
from torchlint.syntax.walk import walk, written

from .compiled import compiled_classes
from .step_numbers import counts_steps

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.training.call_paths import Story
    from torchlint.syntax.scope import Scope, Store


@dataclass(frozen=True, slots=True)
class CountedAttribute:
    """Where an attribute of a compiled module changes, where the module is compiled, and the way from a loop there."""

    place: Place
    compiled: Place
    story: Story


def counted_by_modules(ev: Evaluator, file: ParsedFile) -> Iterator[CountedAttribute]:
    """Yield the ints that the compiled modules of a file count up with every `forward`."""
    classes = ev.project.once(compiled_classes)
    for scope in file.index.scopes if classes else ():
        kind = Class(file, scope)
        if (compiled := classes.get(class_key(kind))) is None:
            continue
        running = run_by_forward(ev, kind)
        for store in file.index.stores:
            place = Place(file, store.target, store.statement)
            if place.scope not in running or place.scope.outer is not scope or not _counts(store, place.scope):
                continue
            if _is_int(ev, kind, store) and not is_thinned(ev, place) and not _is_left_out(place.scope):
                yield CountedAttribute(place.at(store_target(store)), compiled, ())


def set_by_steps(ev: Evaluator, file: ParsedFile) -> Iterator[CountedAttribute]:
    """Yield where a loop gives a compiled module the number of the step, which `forward` reads."""
    training = step_loops_of(ev.project)
    classes = ev.project.once(compiled_classes) if training.is_in(file) else {}
    for store in file.index.stores if classes else ():
        if store.kind != "assign" or store.value is None or not isinstance(store.key, str):
            continue
        place = Place(file, store.target, store.statement)
        if not counts_steps(place.at(store.value)) or (story := training.every_step(place)) is None:
            continue
        for kind in _modules(ev, place):
            compiled = classes.get(class_key(kind))
            if compiled is not None and _reads(ev, kind, store.key):
                yield CountedAttribute(place.at(store_target(store)), compiled, story)
                break


def _modules(ev: Evaluator, owner: Place) -> Iterator[Class]:
    """Yield the classes of what may be a module, wrapped or not."""
    for one in ev.evaluate(owner):
        inner = unwrapped(ev, one)
        yield from (m.value.kind for m in ((one,) if inner is None else inner) if isinstance(m.value, Instance))


def _reads(ev: Evaluator, kind: Class, name: str) -> bool:
    """Tell whether `forward`, or what it runs, reads an attribute of the module."""
    nodes = (node for method in run_by_forward(ev, kind) for node in walk(method.node))
    return any(isinstance(one, ast.Attribute) and one.attr == name and isinstance(one.ctx, ast.Load) for one in nodes)


def _counts(store: Store, method: Scope) -> bool:
    """Tell whether a store adds a number to an attribute of the module itself."""
    if not isinstance(store.key, str) or written(store.target) != method.parameters[0].name:
        return False
    match store.statement:
        case ast.AugAssign(op=ast.Add() | ast.Sub(), value=ast.Constant(value=int())):
            return True
        case ast.Assign(value=ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=int()))):
            return written(left) == f"{written(store.target)}.{store.key}"
        case _:
            return False


def _is_int(ev: Evaluator, kind: Class, counted: Store) -> bool:
    """Tell whether an attribute starts as an int, and is nothing else wherever the class sets it."""
    stores = [
        (one.file, store)
        for one in family(ev, kind)
        if isinstance(one, Class)
        for store in one.file.index.attribute_stores(str(counted.key))
        if store.kind == "assign" and store.statement is not counted.statement and store.value is not None
    ]
    places = [Place(file, store.value, store.statement) for file, store in stores if store.value]
    values = [ev.evaluate(place) for place in (*places, *_class_values(ev, kind, str(counted.key)))]
    return bool(values) and all(
        isinstance(one.value, Literal) and type(one.value.value) is int for possible in values for one in possible
    )


def _class_values(ev: Evaluator, kind: Class, name: str) -> Iterator[Place]:
    """Yield the values that the classes of a family give an attribute in their bodies: `count = 0`."""
    for one in [one for one in family(ev, kind) if isinstance(one, Class)]:
        for binding in one.scope.bindings.get(name, ()):
            if binding.value is not None and binding.kind == "assign":
                yield Place(one.file, binding.value, binding.statement)


def _is_left_out(method: Scope) -> bool:
    """Tell whether a method is kept from being compiled: `@torch.compiler.disable`."""
    return any("disable" in written(one) for one in method.decorators)
