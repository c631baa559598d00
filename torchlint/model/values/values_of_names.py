"""What the names in an expression are bound to in their function, as it is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchlint.model.place import Place
from torchlint.syntax.walk import walk


def values_of_names(place: Place) -> Iterator[Place]:
    """Yield the values that other statements of the function bind to the names in an expression."""
    names = (node.id for node in walk(place.expression) if isinstance(node, ast.Name))
    for one in (binding for name in names for binding in place.scope.bindings.get(name, ())):
        if one.value is not None and one.statement is not place.statement:
            yield Place(place.file, one.value, one.statement)
