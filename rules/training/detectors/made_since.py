"""Modules and optimizers that are made after a backward pass: it has computed no gradients of theirs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.tensors.scalars import sure_definitions
from torchlint.syntax.walk import walk

from .trained_module import given_modules, origins_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def is_made_since(ev: Evaluator, zeroed: Place, line: int) -> bool:
    """Tell whether a function makes a module, or that of an optimizer, below a line and above where it is zeroed.

    What the name meant above, a function or another module, has other gradients or none.
    """
    optimized = list(given_modules(ev, zeroed))
    return all(_is_new(ev, one, zeroed, line) for one in optimized or [zeroed])


def _is_new(ev: Evaluator, module: Place, zeroed: Place, line: int) -> bool:
    """Tell whether all calls that may have made a module are between, or all its definitions if none is known."""
    if made := origins_of(ev, module):
        return all(one.scope is zeroed.scope and line < one.line <= zeroed.line for one in made)
    name = module.expression
    if not isinstance(name, ast.Name) or module.scope is not zeroed.scope:
        return False
    bound = sure_definitions(ev, module)
    return bool(bound) and all(
        line < one.statement.lineno <= zeroed.line and one.value is not None and not _reads(one.value, name.id)
        for one in bound
    )


def _reads(value: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in walk(value))
