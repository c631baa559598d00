"""Names that are given where a size is wanted: they stand for numbers, and for no batch.

`x.view(B, H, W, -1)`, `range(n)` and `torch.zeros(n, 3)` take whole numbers, and of tensors such as hold a single one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.syntax.last_names import last_name, root_of
from torchlint.syntax.name_reads import is_computed_of

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.scope import Scope

# https://docs.pytorch.org/docs/stable/tensors.html
_METHODS = frozenset("view reshape expand repeat unflatten new_zeros new_ones new_empty".split())
_FACTORIES = frozenset("zeros ones empty rand randn arange".split())


def is_a_size(file: ParsedFile, function: Scope, name: str) -> bool:
    """Tell whether a function gives what a parameter of it stands for, or what it computes of that, as a size."""
    if len(function.bindings.get(name, ())) != 1:
        return False
    sizes = (size for call, _ in file.calls_in_scope(function) for size in _sizes(call, function))
    return any(is_computed_of(size, name) for size in sizes)


def _sizes(call: ast.Call, function: Scope) -> Iterator[ast.expr]:
    """Yield the sizes that a call is given one by one, or in a tuple."""
    match call.func:
        case ast.Attribute(value=owner, attr=name) if name in _METHODS:
            # `np.reshape(x, (n, -1))` is given what it changes as well.
            arguments = call.args[1:] if _is_imported(root_of(owner), function) else call.args
        case ast.Name(id="range"):
            arguments = call.args
        case ast.Attribute(attr=name) if name in _FACTORIES:
            arguments = call.args
        case _:
            return
    for argument in arguments:
        yield from argument.elts if isinstance(argument, (ast.Tuple, ast.List)) else (argument,)


def _is_imported(owner: ast.expr, function: Scope) -> bool:
    bindings = function.file_scope.bindings.get(last_name(owner), ())
    return isinstance(owner, ast.Name) and any(one.imported is not None for one in bindings)
