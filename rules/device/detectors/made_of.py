"""Whether an expression is made of certain names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchlint.model.place import Place
from torchlint.syntax.closure import closure
from torchlint.syntax.walk import walk


def is_made_of(place: Place, names: frozenset[str]) -> bool:
    """Tell whether an expression uses one of the names, directly or through others."""
    return any(not names.isdisjoint(_used(one)) for one in closure(place, _assigned))


def _used(place: Place) -> set[str]:
    return {node.id for node in walk(place.expression) if isinstance(node, ast.Name)}


def _assigned(place: Place) -> Iterator[Place]:
    """Yield what is assigned to the names that an expression uses, anywhere in their function."""
    for name in sorted(_used(place)):
        for one in place.scope.bindings.get(name, ()):
            if one.kind == "assign" and one.value is not None:
                yield Place(place.file, one.value, one.statement)
