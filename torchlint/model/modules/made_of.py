"""Which classes of the project the modules inside a wrapper are of, parts of parts included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.inference.limits import FAR
from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.parallel.wrappers import inside
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Class, Display, Instance, ValueSet

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

Key: TypeAlias = "tuple[str, str]"


def class_key(kind: Class) -> Key:
    """Return what tells classes apart, whichever time their file was parsed."""
    return (kind.file.path, kind.scope.qualified_name)


def collect_classes(ev: Evaluator, possible: ValueSet, wrapped: Place, found: dict[Key, Place], depth: int = 0) -> None:
    """Add the classes of the project among modules, and among what these are made of, each with where it is wrapped."""
    for one in possible if depth < FAR else ():
        match one.value:
            case Instance(kind=kind) if is_module(ev, one.value) and class_key(kind) not in found:
                found[class_key(kind)] = wrapped
                for part in _parts(ev, kind):
                    collect_classes(ev, part, wrapped, found, depth + 1)
            case Built() if one.origin is not None and isinstance(one.origin.expression, ast.Call):
                for argument in one.origin.expression.args:
                    collect_classes(ev, ev.evaluate(one.origin.at(argument)), wrapped, found, depth + 1)
                if (inner := inside(ev, one)) is not None:
                    collect_classes(ev, inner, wrapped, found, depth + 1)
            case Display(place=written) if isinstance(written.expression, (ast.List, ast.Tuple)):
                for item in written.expression.elts:
                    collect_classes(ev, ev.evaluate(written.at(item)), wrapped, found, depth + 1)


def _parts(ev: Evaluator, kind: Class) -> Iterator[ValueSet]:
    for one in family(ev, kind):
        for store in one.file.index.stores if isinstance(one, Class) else ():
            assert isinstance(one, Class)
            scope = one.file.index.home[store.statement][0].scope
            is_own = isinstance(store.key, str) and scope.outer is one.scope
            if is_own and isinstance(store.value, (ast.Call, ast.Name)):
                yield ev.evaluate(Place(one.file, store.value, store.statement))
