"""Methods that their names alone identify, on any object."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.values.value_sets import Class, Function
from torchlint.syntax.call_shapes import CallShape, shape_of
from torchlint.syntax.scope import Parameter, Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# Methods that so many classes have that a call on an unknown object does not identify one.
COMMON = frozenset(
    "add append apply backward build call clear close copy cpu cuda detach dump encode decode eval evaluate extend"
    " forward from_pretrained get init insert item items keys load load_state_dict log main metric next open parse pop"
    " predict print process put read register remove reset resize run sample save send set setup size sort split start"
    " state_dict step stop test to train transform update validate values view write zero_grad"
    " __call__ __init__".split()
)
_MOST_DEFINING = 20
_NUMBERS = frozenset({"int", "float", "bool"})


def is_distinctive(ev: Evaluator, function: Function, call: ast.Call) -> bool:
    """Tell whether a method called on an unknown object is surely this one, or one that overrides it."""
    name = function.scope.name
    if not function.scope.is_method or name in COMMON:
        return False
    defining = len(ev.project.library.holding(f"def {name}("))
    shape = shape_of(call)
    if defining > _MOST_DEFINING or not shape.fits(function.scope) or not _is_meant(function.scope, call):
        return False
    return defining == 1 or ev.project.once(_OneFamily(name, shape))


def _is_meant(function: Scope, call: ast.Call) -> bool:
    """Tell whether no argument, by its name or its value, belongs to another parameter than the one it fills.

    Objects of other libraries have methods of the same names: `index.search(queries, top_k)`.
    """
    placed = [one for one in function.parameters[1:] if one.position is not None and not one.star]
    names = {one.name for one in function.parameters}
    given = zip(placed, takewhile(lambda one: not isinstance(one, ast.Starred), call.args), strict=False)
    return not any(_is_for_another(one, argument, names) for one, argument in given)


def _is_for_another(parameter: Parameter, argument: ast.expr, names: set[str]) -> bool:
    match argument:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name != parameter.name and name in names
        case ast.Constant(value=str()):
            return _annotated_as(parameter) in _NUMBERS
        case ast.Constant(value=bool() | int() | float()):
            return _annotated_as(parameter) == "str"
        case _:
            return False


def _annotated_as(parameter: Parameter) -> str:
    """Return the name of the type that a parameter is annotated with, `Optional` left out."""
    match parameter.annotation:
        case ast.Name(id=name) | ast.BinOp(left=ast.Name(id=name), op=ast.BitOr(), right=ast.Constant(value=None)):
            return name
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=ast.Name(id=name)):
            return name
        case _:
            return ""


@dataclass(frozen=True, slots=True)
class _OneFamily:
    """The question whether all methods of a name that accept the arguments override one another."""

    name: str
    shape: CallShape

    def __call__(self, ev: Evaluator) -> bool:
        roots: set[Scope | None] = set()
        for path in ev.project.library.holding(f"def {self.name}("):
            file = ev.project.parsed(path)
            for scope in file.index.scopes if file is not None else ():
                if file is not None and scope.name == self.name and scope.kind == "function" and self.shape.fits(scope):
                    roots.add(self._root(ev, file, scope.outer) if scope.is_method else None)
        return len(roots) == 1 and None not in roots

    def _root(self, ev: Evaluator, file: ParsedFile, outer: Scope | None) -> Scope | None:
        """Return the farthest base of a class that has the method too."""
        lineage = family(ev, Class(file, outer)) if outer is not None else ()
        having = [one.scope for one in lineage if isinstance(one, Class) and self.name in one.scope.bindings]
        return having[-1] if having else None
