"""Where a layer is applied directly where it is built, without loading weights in between."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.variable_reads import named_reads
from torchlint.pytorch.moves import MODULE_CASTS, MOVES
from torchlint.syntax.around import dominating_conditions, is_self
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.syntax.walk import Parents

# These return the module itself, on another device or of another type.
_MOVES = MOVES | MODULE_CASTS


def is_applied_here(layer: Place) -> bool:
    """Tell whether the function that builds a layer calls it, alone or in a `Sequential`, and does nothing else to it.

    One that is stored in an attribute counts if it is built unconditionally, whatever the attribute held before.
    """
    parents = layer.file.parents_in(layer.statement)
    built = _whole(layer.expression, parents)
    parent = parents.get(built)
    if isinstance(parent, ast.Call):
        return parent.func is built
    match layer.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is built:
            return _is_only_called(layer, name)
        case ast.Assign(targets=[ast.Attribute(value=owner, attr=name)], value=value) if value is built:
            is_certain = is_self(owner) and not any(True for _ in dominating_conditions(layer))
            return is_certain and _is_attribute_only_called(layer, name)
        case _:
            return False


def _whole(node: ast.AST, parents: Parents) -> ast.AST:
    """Return what a layer is an argument of: `Sequential(…, layer)`, `layer.to(device)`."""
    while (outer := _around(node, parents)) is not None:
        node = outer
    return node


def _around(node: ast.AST, parents: Parents) -> ast.AST | None:
    match parent := parents.get(node):
        case ast.Attribute(attr=name) if name in _MOVES and isinstance(call := parents.get(parent), ast.Call):
            return call if call.func is parent else None
        case ast.Call() if parent.func is not node and callee_name(parent) == "Sequential":
            return parent
        case _:
            return None


def _is_only_called(layer: Place, name: str) -> bool:
    reads = [one for one in named_reads(layer.file, layer.scope, name) if one.scope is layer.scope]
    return bool(reads) and len(layer.scope.bindings[name]) == 1 and all(map(_is_called, reads))


def _is_attribute_only_called(layer: Place, name: str) -> bool:
    """Tell whether the function calls an attribute of its object, which the file reads nowhere else."""
    reads = [Place(layer.file, node, statement) for node, statement in layer.file.attribute_reads(name)]
    called = [one for one in reads if one.scope is layer.scope and _is_called(one)]
    return bool(called) and all(map(_is_called, reads))


def _is_called(read: Place) -> bool:
    parent = read.file.parents_in(read.statement).get(read.expression)
    return isinstance(parent, ast.Call) and parent.func is read.expression


def builds(function: ast.AST, names: frozenset[str]) -> bool:
    """Tell whether a function calls something of one of these last names."""
    return any(isinstance(node, ast.Call) and callee_name(node) in names for node in walk(function))
