"""Which classes of the project the modules inside a wrapper are of, parts of parts included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.parallel.wrappers import inside
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Class, Display, Instance, Possibility, ValueSet

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

Key: TypeAlias = "tuple[str, str]"


def class_key(kind: Class) -> Key:
    """Return what tells classes apart, whichever time their file was parsed."""
    return (kind.file.path, kind.scope.qualified_name)


def collect_classes(
    ev: Evaluator, possible: ValueSet, wrapped: Place, found: dict[Key, Place], seen: set[Place]
) -> None:
    """Add the classes of the project among modules, and among what these are made of, each with where it is wrapped.

    `seen` is where modules and lists are made that were looked into before, and are not again.
    """
    pending = [*possible]
    while pending:
        one = pending.pop()
        match one.value:
            case Instance(kind=kind) if is_module(ev, one.value) and class_key(kind) not in found:
                found[class_key(kind)] = wrapped
                pending += chain.from_iterable(_parts(ev, kind))
            case Built() if one.origin is not None and one.origin not in seen:
                seen.add(one.origin)
                pending += _within(ev, one.origin)
                pending += inside(ev, one) or ()
            case Display(place=written) if written not in seen:
                seen.add(written)
                pending += _within(ev, written)


def _within(ev: Evaluator, made: Place) -> Iterator[Possibility]:
    """Yield what a call is given, and the items of a list."""
    match made.expression:
        case ast.Call(args=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from ev.evaluate(made.at(part))


def _parts(ev: Evaluator, kind: Class) -> Iterator[ValueSet]:
    for one in family(ev, kind):
        for store in one.file.index.stores if isinstance(one, Class) else ():
            assert isinstance(one, Class)
            scope = one.file.index.home[store.statement][0].scope
            is_own = isinstance(store.key, str) and scope.outer is one.scope
            if is_own and isinstance(store.value, (ast.Call, ast.Name)):
                yield ev.evaluate(Place(one.file, store.value, store.statement))
