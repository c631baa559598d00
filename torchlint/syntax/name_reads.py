"""How a function reads its names: an attribute of one, a call of one, or the value itself."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from torchlint.syntax.walk import walk


@dataclass(slots=True)
class NameReads:
    """The reads of one name in a function, nested functions included."""

    attributes: set[str] = field(default_factory=set)
    """The attributes that are read of it."""
    whole: list[ast.Name] = field(default_factory=list)
    """Its reads that are neither a call nor an attribute."""


def name_reads(function: ast.AST) -> Mapping[str, NameReads]:
    """Return how a function reads each name."""
    found: dict[str, NameReads] = defaultdict(NameReads)
    owned: set[ast.AST] = set()
    for node in walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id=name) as owner, attr=attribute):
                found[name].attributes.add(attribute)
                owned.add(owner)
            case ast.Call(func=ast.Name() as called):
                owned.add(called)
            case ast.Name(id=name, ctx=ast.Load()) if node not in owned:
                found[name].whole.append(node)
    return found


def is_computed_of(node: ast.expr, name: str) -> bool:
    """Tell whether an expression is a name, or computed from it by operators: `n // 2`."""
    match node:
        case ast.Name(id=found):
            return found == name
        case ast.BinOp(left=left, right=right):
            return is_computed_of(left, name) or is_computed_of(right, name)
        case _:
            return False


def attributes_in(node: ast.AST) -> frozenset[str]:
    """Return the names of all attributes in some code."""
    return frozenset(inner.attr for inner in walk(node) if isinstance(inner, ast.Attribute))
