"""Tensors that are passed on unchanged, and those that are computed with first."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.pytorch.factories import LIKE, NEW
from torchlint.pytorch.metadata import METADATA_METHODS, WITHOUT_DATA
from torchlint.pytorch.moves import MOVES
from torchlint.pytorch.views import ITSELF_AT_TIMES, SAME_MEMORY, VIEWS_AT_TIMES
from torchlint.syntax.around import parent_of
from torchlint.syntax.last_names import last_name

from .queued import Effect, effect_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

# Each may return a view as well, or the tensor itself.
_MAY_BE_VIEWS = SAME_MEMORY | VIEWS_AT_TIMES | ITSELF_AT_TIMES | MOVES
# These read what the host knows of a tensor.
_ASKING = METADATA_METHODS | WITHOUT_DATA | LIKE | NEW
_IDENTITY = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


def is_only_passed_on(ev: Evaluator, read: Place) -> bool:
    """Tell whether a `return` passes a name on and computes nothing with it: `return x, {"rows": x[0]}`.

    A call passes it on as well unless it surely computes: a constructor may only store it.
    """
    if not isinstance(read.statement, ast.Return):
        return False
    held: Place | None = read
    while held is not None:
        outer = parent_of(held)
        if outer is None or not _holds(held.expression, outer):
            return outer is None or not _computes(ev, held, outer)
        held = held.at(outer)
    return True


def is_only_looked_at(ev: Evaluator, read: Place) -> bool:
    """Tell whether only what the host knows of a name's tensor is read, or a view of it gets another name."""
    held = read
    while (outer := parent_of(held)) is not None and is_view(held.expression, outer):
        held = held.at(outer)
    match outer:
        case None:
            return isinstance(read.statement, ast.Assign) and isinstance(read.statement.targets[0], ast.Name)
        case ast.Attribute() | ast.Compare():
            return not _computes(ev, held, outer)
        case _:
            return False


def viewed(node: ast.expr) -> ast.expr:
    """Return what an expression is a view of, itself if it is none."""
    while True:
        match node:
            case ast.Subscript(value=inner) | ast.Attribute(value=inner) if is_view(inner, node):
                node = inner
            case ast.Call(func=ast.Attribute() as inner) if is_view(inner, node):
                node = inner.value
            case _:
                return node


def is_view(inner: ast.expr, outer: ast.expr) -> bool:
    """Tell whether an expression is surely a view of one inside it: `x[1:]`, `x.view(-1)`."""
    match outer:
        case ast.Subscript(value=value, slice=key):
            parts = key.elts if isinstance(key, ast.Tuple) else [key]
            return inner is value and all(isinstance(part, (ast.Slice, ast.Constant)) for part in parts)
        case ast.Attribute(attr=name):
            return name in SAME_MEMORY
        case ast.Call(func=function):
            return inner is function and isinstance(function, ast.Attribute) and function.attr in SAME_MEMORY
        case _:
            return False


def _holds(inner: ast.expr, outer: ast.expr) -> bool:
    """Tell whether an expression is another one, a view of it, or something that has it as a part."""
    match outer:
        case ast.Tuple() | ast.List() | ast.Set() | ast.Dict() | ast.Starred() | ast.NamedExpr():
            return True
        case ast.IfExp(body=body, orelse=other):
            return inner in (body, other)
        case ast.Subscript(value=value):
            return inner is value
        case ast.Attribute(attr=name):
            return name in _MAY_BE_VIEWS
        case ast.Call(func=ast.Attribute(attr=name) as function):
            return inner is function and name in _MAY_BE_VIEWS
        case _:
            return False


def _computes(ev: Evaluator, held: Place, outer: ast.expr) -> bool:
    """Tell whether an expression surely reads the data of a tensor inside it."""
    match outer:
        case ast.BinOp() | ast.UnaryOp():
            # Tuples and lists are only concatenated.
            return isinstance(held.expression, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
        case ast.Compare(ops=operators):
            return not any(isinstance(one, _IDENTITY) for one in operators)
        case ast.Attribute(attr=name):
            call = parent_of(held.at(outer))
            return isinstance(call, ast.Call) and call.func is outer and name not in _ASKING
        case ast.Call(func=function):
            name = last_name(function)
            is_torch = any(one.startswith("torch.") for one in held.at(function).names)
            known = is_torch and name.islower() and name not in _MAY_BE_VIEWS | _ASKING
            return known and effect_of(ev, held.at(outer)) in {Effect.WORKS, Effect.WAITS}
        case _:
            return False
