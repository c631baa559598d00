"""Whether something only runs after a call beside it, so that it changes nothing for that call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.syntax.exits import LOOPS

if TYPE_CHECKING:
    from torchlint.model.place import Place


def runs_after(place: Place, call: ast.stmt, made: Place) -> bool:
    """Tell whether a read of a module comes after a call beside it: further down, and not in the next iteration."""
    if place.scope is not made.scope or place.statement.lineno <= call.lineno:
        return False
    around_call, around_read, around_made = (_loops(place, one) for one in (call, place.statement, made.statement))
    # A loop that makes the module calls another one in its next iteration.
    return not (around_call & around_read) - around_made


def _loops(place: Place, statement: ast.stmt) -> set[ast.AST]:
    blocks = place.file.index.blocks_around(statement)
    return {block.owner for block, _ in blocks if isinstance(block.owner, LOOPS)}
