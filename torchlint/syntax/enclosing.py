"""The blocks of some kind around a statement, such as the bodies of loops, without a climb through all others.

There may be as many `elif`s in a row as there are lines, and each is in the `else` of the one before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from torchlint.syntax.index import Index
from torchlint.syntax.scope import Block

Kinds: TypeAlias = "tuple[type[ast.stmt], ...]"


def enclosing(index: Index, statement: ast.stmt, kinds: Kinds) -> Iterator[Block]:
    """Yield the blocks around a statement that belong to statements of some kinds, innermost first, in its scope."""
    nearest = index.nearest.setdefault(kinds, {})
    block: Block | None = index.home[statement][0]
    while block is not None and (block := _nearest(index, nearest, block, kinds)) is not None:
        yield block
        block = _outer(index, block)


def _nearest(index: Index, nearest: dict[Block, Block | None], start: Block, kinds: Kinds) -> Block | None:
    """Return the innermost block of some kinds from a block outwards; it is found once for all that are nested."""
    passed: list[Block] = []
    block: Block | None = start
    while block is not None and block not in nearest:
        if isinstance(block.owner, kinds):
            nearest[block] = block
            break
        passed.append(block)
        block = _outer(index, block)
    found = nearest[block] if block is not None else None
    nearest.update(dict.fromkeys(passed, found))
    return found


def _outer(index: Index, block: Block) -> Block | None:
    """Return the block around the statement of a block, None for the body of a scope."""
    if block.outer is None or block.owner is block.scope.node:
        return None
    return index.home[block.outer][0]
