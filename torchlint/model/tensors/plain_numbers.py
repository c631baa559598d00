"""What is a number, a text or a shape by how it is written, and by what binds its names: no query is needed to tell.

`for j in range(n): layers[j](x)`: `j` is no tensor, with any `n` that the function is called with.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.place import Place
from torchlint.model.values.naming import bound_inside
from torchlint.pytorch.metadata import METADATA_METHODS, SIZES
from torchlint.syntax.around import is_self
from torchlint.syntax.iterated import items_of
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.syntax.scope import Binding

_Parts: TypeAlias = "list[Place] | None"
_NUMBERS = frozenset("len int float bool str repr range isinstance hasattr".split())
# Methods of texts that tensors and modules do not have.
_TEXT_METHODS = frozenset(
    "replace lower upper title capitalize strip lstrip rstrip startswith endswith removeprefix removesuffix partition"
    " rpartition rsplit splitlines join format zfill".split()
)
_DISPLAYS = (ast.Dict, ast.List, ast.Set, ast.Tuple, ast.Load)
_SIZE_METHODS = SIZES & METADATA_METHODS
_SIZE_ATTRIBUTES = SIZES - METADATA_METHODS
# There is no memo: asked of each of many names, all that they are made of would be visited each time. What has more is
# left to queries, which have one.
_MOST_PARTS = 32


def is_plain(place: Place) -> bool:
    """Tell whether an expression is no tensor, and holds none, whatever the function that it is in receives."""
    waiting, seen = [place], set[Place]()
    while waiting:
        if (one := waiting.pop()) in seen:
            continue
        seen.add(one)
        if len(seen) > _MOST_PARTS or (parts := _made_of(one)) is None:
            return False
        waiting += parts
    return True


def _made_of(place: Place) -> _Parts:
    """Return the expressions that all have to be plain for a value to be so; None where it may be anything."""
    match place.expression:
        case ast.Constant() | ast.JoinedStr() | ast.UnaryOp(op=ast.Not()):
            return []
        case ast.Name(id=name):
            return _bound_to(place, name)
        case ast.Call(func=ast.Name(id=name)):
            return [] if name in _NUMBERS and _is_pythons_own(place, name) else None
        case ast.Call(func=ast.Attribute(value=owner, attr=name)):
            return [] if name in _TEXT_METHODS or (name in _SIZE_METHODS and not is_self(owner)) else None
        case ast.Attribute(value=owner, attr=name):
            return [] if name in _SIZE_ATTRIBUTES and not is_self(owner) else None
        case _:
            operands = _operands(place.expression)
            return [place.at(one) for one in operands] if operands is not None else None


def _operands(node: ast.expr) -> list[ast.expr] | None:
    match node:
        case ast.UnaryOp(operand=value) | ast.Subscript(value=value) | ast.NamedExpr(value=value):
            return [value]
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return [left, right]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        # What a list or a dict holds may have been put there since.
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts):
            return parts
        case _:
            return None


def _is_pythons_own(place: Place, name: str) -> bool:
    return place.scope.binder(name) is None and "*" not in place.file.index.scope.bindings


def _bound_to(place: Place, name: str) -> _Parts:
    """Return what binds a name in its statement or its function, None where something else may."""
    for bound_in, inside in bound_inside(place):
        return _taken(place.at(bound_in), inside) if inside is not None else None
    scope = place.scope
    if name not in scope.bindings:
        return [] if name.isupper() and _is_constant(place, name) else None
    if name in scope.outside or len(scope.bindings[name]) > _MOST_PARTS:
        return None
    parts: list[Place] = []
    for binding in scope.bindings[name]:
        if (taken := _taken(place, binding)) is None:
            return None
        parts += taken
    return parts


def _is_constant(place: Place, name: str) -> bool:
    """Tell whether a name of the file is written in capitals, and bound once to constants, or to a display of such."""
    match place.file.index.scope.bindings.get(name):
        case [binding] if binding.kind == "assign" and binding.value is not None and not binding.selector:
            leaves = [one for one in walk(binding.value) if not isinstance(one, _DISPLAYS)]
            return bool(leaves) and all(isinstance(one, ast.Constant) for one in leaves)
        case _:
            return False


def _taken(place: Place, binding: Binding) -> _Parts:
    """Return what a binding takes its value of, None where that may be anything."""
    value = binding.value
    if binding.kind == "parameter":
        # What is said to be a number is no tensor, or the annotation is wrong.
        return [] if any(one.name == binding.name and one.is_scalar for one in place.scope.parameters) else None
    if value is None or binding.kind not in {"assign", "augment", "iterate"}:
        return None
    if binding.kind != "iterate":
        # What a name is unpacked from holds it: `b, c = x.shape`.
        return [Place(place.file, value, binding.statement)]
    source, selector = items_of(value, binding.selector)
    match source, selector:
        case ast.Call(func=ast.Name(id="enumerate")), (0,):
            return [] if _is_pythons_own(place, "enumerate") else None
        case (ast.Call(func=ast.Attribute(attr="items")), (0,)) | (ast.Call(func=ast.Attribute(attr="keys")), ()):
            return []
        case _:
            return [Place(place.file, source, binding.statement)]
