"""The part of a function that is about one of the files it reads: an arm of an `if`, where other arms read others."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlint.model.checkpoints.loading import loads_of

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.syntax.index import Index
    from torchlint.syntax.scope import Block


def part_about(read: Place, into: Place | None) -> Sequence[ast.AST]:
    """Return the widest block around a load, and around what it fills there, in which nothing else is read."""
    index, scope = read.file.index, read.scope
    statements = (load.call.statement for load in loads_of(read.file) if load.call.scope is scope)
    others = [one for one in statements if one is not read.statement]
    if not others:
        return [scope.node]
    filled = into.statement if into is not None and into.scope is scope else read.statement
    both = [block for block, _ in index.blocks_around(read.statement) if _is_in(index, filled, block)]
    alone = [block for block in both if not any(_is_in(index, other, block) for other in others)]
    return (alone[-1] if alone else both[0]).body


def _is_in(index: Index, statement: ast.stmt, block: Block) -> bool:
    return any(one is block for one, _ in index.blocks_around(statement))
