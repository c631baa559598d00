"""What code outside a class stores in its objects: `layer.p = 0.2`, `if isinstance(module, Drop): module.p = rate`.

And in the class itself: `Net.device = torch.device("cuda")`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.holding import files_holding
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Instance, Literal, ValueSet
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Store


def stored_outside(ev: Evaluator, kind: Class, name: str) -> Iterator[ValueSet]:
    """Yield what files that name a class store in an attribute of its objects, other than by their own `self`."""
    library = ev.project.library
    naming = library.holding(kind.scope.name)
    for path in library.holding(name):
        if path in naming and (file := ev.project.parsed(path)) is not None:
            for store in file.index.attribute_stores(name):
                if _is_into(ev, file, store, kind):
                    yield ev.evaluate(Place(file, store.value, store.statement)) if store.value is not None else ()


def set_from_outside(ev: Evaluator, kind: Class, name: str, found: list[ValueSet]) -> list[ValueSet]:
    """Return what a class attribute has, and what code outside the class stores there, which replaces a None."""
    stored = [ev.evaluate(value) for value in _stored_in_class(ev, kind, name)]
    is_none = all(one.value == Literal(None) for values in found for one in values)
    return stored if stored and is_none else [*found, *stored]


def _stored_in_class(ev: Evaluator, kind: Class, name: str) -> Iterator[Place]:
    for file in files_holding(ev, (f"{kind.scope.name}.{name}",)):
        for store in file.index.attribute_stores(name):
            if store.value is None or not isinstance(store.target, (ast.Name, ast.Attribute)):
                continue
            if any(one.value == kind for one in ev.evaluate(Place(file, store.target, store.statement))):
                yield Place(file, store.value, store.statement)


def _is_into(ev: Evaluator, file: ParsedFile, store: Store, kind: Class) -> bool:
    """Tell whether a store is into an object of a class: a known one, or one that a test before it identifies."""
    target = Place(file, store.target, store.statement)
    scope = target.scope
    if scope.is_method and scope.parameters and target.code == scope.parameters[0].name:
        return False
    if any(isinstance(one.value, Instance) and kind in family(ev, one.value.kind) for one in ev.evaluate(target)):
        return True
    return any(holds and _tells_kind(ev, test, target.code, kind) for test, holds in target.tests)


def _tells_kind(ev: Evaluator, test: Place, text: str, kind: Class) -> bool:
    """Tell whether a test holds only for objects of a class: `isinstance(module, Drop)`."""
    match test.expression:
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, kinds]) if written(subject) == text:
            listed = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
            found = (one.value for each in listed for one in ev.evaluate(test.at(each)))
            return any(isinstance(one, Class) and one in family(ev, kind) for one in found)
        case _:
            return False
