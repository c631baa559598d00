"""What the names in an expression are bound to in their function, as it is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from torchlint.model.place import Place
from torchlint.syntax.closure import closure
from torchlint.syntax.scope import Binding, Scope
from torchlint.syntax.walk import names_under, walk

Expanded: TypeAlias = "dict[tuple[Scope, str], Sequence[Binding]]"
"""The bindings of names that were not followed yet."""


def values_of_names(place: Place, expanded: Expanded | None = None) -> Iterator[Place]:
    """Yield the values that other statements of the function bind to the names in an expression.

    Calls that share what is `expanded` yield each once.
    """
    left: Expanded = {} if expanded is None else expanded
    scope = place.scope
    for name in dict.fromkeys(node.id for node in walk(place.expression) if isinstance(node, ast.Name)):
        bindings = left.get((scope, name), scope.bindings.get(name, ()))
        left[scope, name] = [one for one in bindings if one.statement is place.statement]
        for one in bindings:
            if one.value is not None and one.statement is not place.statement:
                yield Place(place.file, one.value, one.statement)


def with_values_of_names(place: Place) -> Iterator[Place]:
    """Yield an expression, and the values that the function binds to the names in it, and in these, each once.

    A name is expanded once, however many statements bind it: a script may have hundreds. What the statement of an
    expression itself binds to a name is left out, unless another expression leads there.
    """
    expanded: Expanded = {}
    return closure(place, lambda one: values_of_names(one, expanded))


def names_read(place: Place) -> set[str]:
    """Return the names in an expression, and in the values of these, through any number of names."""
    return {name for one in with_values_of_names(place) for name in names_under(one.expression)}
