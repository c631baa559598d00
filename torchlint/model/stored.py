"""Assignments, as rules see them: to names, attributes and items."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.place import Place

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile


@dataclass(frozen=True, slots=True)
class Assignment:
    """One target of `target = value`; `target` is a name, an attribute or an item."""

    target: Place
    value: Place
    is_addition: bool
    """Whether it is `target += value`, or another augmented assignment."""

    @property
    def attribute(self) -> str:
        """Return the attribute that is assigned to, `""` for names and items."""
        node = self.target.expression
        return node.attr if isinstance(node, ast.Attribute) else ""

    @property
    def key(self) -> Place | None:
        """Return the key that an item is assigned under: `"x"` in `config["x"] = …`."""
        node = self.target.expression
        return self.target.at(node.slice) if isinstance(node, ast.Subscript) else None


def assignments_of(file: ParsedFile) -> Iterator[Assignment]:
    """Yield the assignments of a file, in source order; unpacking is left out."""
    for statement in sorted(_assigning(file), key=lambda statement: statement.lineno):
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    place = Place(file, target, statement)
                    yield Assignment(place, place.at(value), False)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                place = Place(file, target, statement)
                yield Assignment(place, place.at(value), False)
            case ast.AugAssign(target=target, value=value):
                place = Place(file, target, statement)
                yield Assignment(place, place.at(value), True)


def _assigning(file: ParsedFile) -> Iterator[ast.stmt]:
    yield from file.index.statements(ast.Assign)
    yield from file.index.statements(ast.AnnAssign)
    yield from file.index.statements(ast.AugAssign)
