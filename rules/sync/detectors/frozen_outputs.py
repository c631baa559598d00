"""Outputs of modules that a program freezes: autograd records nothing of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.tensors.scalars import definitions
from torchlint.model.training.freezing import freezes_something, may_be_frozen
from torchlint.syntax.closure import closure
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def may_be_of_frozen(ev: Evaluator, value: Place) -> bool:
    """Tell whether all modules whose outputs a value is computed from may be frozen."""
    if not ev.project.once(freezes_something):
        return False
    may_be = (may_be_frozen(ev, module) for module in _modules(ev, value))
    return next(may_be, False) and all(may_be)


def _modules(ev: Evaluator, value: Place) -> Iterator[Place]:
    """Yield the modules that are called for a value, in its function."""
    for one in closure(value, lambda part: _assigned(ev, part)):
        for node in walk(one.expression):
            if isinstance(node, ast.Call) and ev.is_module(one.at(node.func)):
                yield one.at(node.func)


def _assigned(ev: Evaluator, value: Place) -> Iterator[Place]:
    """Yield what was assigned to the names in a value."""
    for node in walk(value.expression):
        for one in definitions(ev, value.at(node)) if isinstance(node, ast.Name) else ():
            if one.value is not None:
                yield Place(value.file, one.value, one.statement)
