"""An `if` and its `elif`s as one chain.

Each `elif` is alone in the `else` of the one before, so there may be as many nested blocks as there are lines. Before
an `elif` nothing is in its block; what does not depend on its conditions skips all of them at once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from torchlint.syntax.index import Index
from torchlint.syntax.scope import Block

Chain: TypeAlias = "list[ast.If]"
"""An `if`, and its `elif`s in order."""


def chain_around(index: Index, block: Block) -> tuple[Chain, int] | None:
    """Return the chain of the `elif` that a block holds, and its position in that; None if it holds more, or none."""
    if block.arm != "orelse" or len(block.body) != 1 or not isinstance(block.owner, ast.If):
        return None
    match block.body:
        case [ast.If() as statement]:
            if statement not in index.chains:
                chain = [*chain_of(_climb(index, block.owner))]
                index.chains |= {one: (chain, position) for position, one in enumerate(chain)}
            return index.chains[statement]
        case _:
            return None


def chain_of(statement: ast.If) -> Iterator[ast.If]:
    """Yield an `if` and its `elif`s."""
    yield statement
    while len(statement.orelse) == 1 and isinstance(inner := statement.orelse[0], ast.If):
        statement = inner
        yield statement


def blocks_around_chains(index: Index, statement: ast.stmt) -> Iterator[tuple[Block, int]]:
    """Yield the blocks around a statement, and the positions in them, without those that hold nothing but an `elif`."""
    current: ast.stmt | None = statement
    while current is not None:
        block, position = index.home[current]
        if block.arm == "orelse" and (found := chain_around(index, block)) is not None:
            block, position = index.home[found[0][0]]
        yield block, position
        current = block.outer if block.owner is not block.scope.node else None


def first_of_chain(index: Index, statement: ast.If) -> ast.If:
    """Return the `if` that an `elif` belongs to, and of any other `if` itself."""
    found = chain_around(index, index.home[statement][0])
    return statement if found is None else found[0][0]


def _climb(index: Index, statement: ast.If) -> ast.If:
    block = index.home[statement][0]
    while block.arm == "orelse" and len(block.body) == 1 and isinstance(block.owner, ast.If):
        statement = block.owner
        block = index.home[statement][0]
    return statement
