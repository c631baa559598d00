"""Aliases of attributes of one object: `memory.seen` is `self.seen` in its methods."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Instance
from torchlint.syntax.walk import walk, written

from .additions import Addition

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def owner_of_kept(addition: Addition) -> Place | None:
    """Return the owner of the attribute that is added to, None for a variable: `memory` of `memory.seen.append(x)`."""
    return next(_owners(addition.place, addition.root), None) if "." in addition.root else None


def is_of_same_object(ev: Evaluator, owner: Place, at: Place, name: str) -> bool:
    """Tell whether an attribute in a statement, by its text, is one of an object known by another name."""
    kinds = set(_kinds(ev, owner))
    return bool(kinds) and any(_share_class(ev, kinds, _kinds(ev, one)) for one in _owners(at, name))


def _owners(place: Place, name: str) -> Iterator[Place]:
    for node in walk(place.statement):
        if isinstance(node, ast.Attribute) and written(node) == name:
            yield place.at(node.value)


def _kinds(ev: Evaluator, owner: Place) -> Iterator[Class]:
    return (one.value.kind for one in ev.evaluate(owner) if isinstance(one.value, Instance))


def _share_class(ev: Evaluator, kinds: set[Class], others: Iterable[Class]) -> bool:
    return any(other in family(ev, kind) or kind in family(ev, other) for other in others for kind in kinds)
