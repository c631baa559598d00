"""Remainders of counters: `step % 100` is 0 every 100 steps, `x.size(1) % 8` the same in every iteration."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.training.counters import is_always_zero
from torchlint.pytorch.metadata import SIZES
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Binding

_SIZES = SIZES | {"len"}


def is_remainder(test: Place, node: ast.expr) -> bool:
    """Tell whether an expression is the remainder of a counter: sizes are the same in every iteration."""
    match node:
        case ast.BinOp(left=left, op=ast.Mod()):
            return not isinstance(left, ast.Constant) and not is_size(test, left) and not is_always_zero(node)
        case ast.Name(id=name):
            return [_is_bound(test, one) for one in test.scope.bindings.get(name, ())] == [True]
        case _:
            return False


def _is_bound(test: Place, binding: Binding) -> bool:
    """Tell whether a name is bound to a remainder: `rest = i % 100`, `hundreds, rest = divmod(i, 100)`."""
    match binding.value:
        case ast.BinOp() as value:
            return is_remainder(test, value)
        case ast.Call(func=ast.Name(id="divmod"), args=[left, _]):
            return binding.selector == (1,) and not is_size(test, left)
        case _:
            return False


def is_size(test: Place, node: ast.expr | None) -> bool:
    """Tell whether an expression is a size of something: `x.size(1)`, `h` of `h, w = x.shape`."""
    match node:
        case ast.Call(func=function):
            return last_name(function) in _SIZES
        case ast.Attribute(attr=name):
            return name in SIZES
        case ast.Subscript(value=value):
            return is_size(test, value)
        case ast.Name(id=name):
            values = [one.value for one in test.scope.bindings.get(name, ())]
            return len(values) == 1 and not isinstance(values[0], ast.Name) and is_size(test, values[0])
        case _:
            return False
