"""Numbers that an iteration needs itself: a generated token that ends the loop, or that is yielded as it comes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.values.def_use import ancestors, uses_of
from torchlint.syntax.exits import leaves_block

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def is_needed_at_once(ev: Evaluator, wait: Place) -> bool:
    """Tell whether what is read decides whether the loop goes on, or is yielded in the iteration that reads it."""
    return any(_ends_loop(use.place) or _is_yielded(use.place) for use in uses_of(ev, wait))


def _ends_loop(read: Place) -> bool:
    match read.statement:
        case ast.While():
            return True
        case ast.If(body=body, orelse=orelse):
            return any(leaves_block(block, read.file.index) for block in (body, orelse) if block)
        case _:
            return False


def _is_yielded(read: Place) -> bool:
    return any(isinstance(parent, (ast.Yield, ast.YieldFrom)) for parent, _ in ancestors(read))
