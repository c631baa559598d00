"""Whether a `try` catches what a missing CUDA raises, and goes on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.place import Place

_CATCHES = frozenset({"Exception", "BaseException", "RuntimeError", "AssertionError"})


def is_caught(place: Place) -> bool:
    """Tell whether an enclosing `try` catches what a missing CUDA raises, and goes on."""
    return any(catching(place))


def catching(place: Place) -> Iterator[ast.ExceptHandler]:
    """Yield what catches what a missing CUDA raises at a place, and goes on; the innermost first."""
    for block, _ in place.file.index.blocks_around(place.statement):
        if isinstance(block.owner, ast.Try) and block.arm == "body":
            yield from filter(catches, block.owner.handlers)


def catches(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler catches what a missing CUDA raises, and goes on."""
    if any(isinstance(statement, ast.Raise) for statement in handler.body):
        return False
    if handler.type is None:
        return True
    nodes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    # Who is prepared to be interrupted keeps what there is so far, and goes nowhere else.
    return not names.isdisjoint(_CATCHES) and "KeyboardInterrupt" not in names
