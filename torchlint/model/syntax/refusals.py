"""What a program refuses to do together: several tests that lead, one inside another, to where it goes no further.

`if args.distributed: if args.parts > 1: raise NotImplementedError`: whoever comes past that does one of both at most.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.syntax.exits import leaves_block

if TYPE_CHECKING:
    from torchlint.model.syntax.index import Index
    from torchlint.model.syntax.scope import Block
    from torchlint.model.syntax.site import Site

Refusal: TypeAlias = "tuple[tuple[ast.expr, bool], ...]"
"""Tests, and how all of them come out where the program goes no further."""
_DEEPEST = 4


def refusals_before(place: Site) -> Iterator[Refusal]:
    """Yield what the `if`s before a place, and around none of it, let nobody past with."""
    index = place.file.index
    for block, position in index.blocks_around(place.statement):
        yield from (refusal for _, refusal in _refusals_in(index, block, position))


def _refusals_in(index: Index, block: Block, end: int) -> list[tuple[int, Refusal]]:
    """Return what the `if`s before a position of a block refuse, each with its own position."""
    if (found := index.refusals.get(block)) is None:
        each = ((at, refusal) for at, one in enumerate(block.body) for refusal in _refusals(index, [one], ()))
        found = index.refusals[block] = list(each)
    return found[: bisect_left(found, end, key=itemgetter(0))]


def _refusals(index: Index, body: Sequence[ast.stmt], tests: Refusal) -> Iterator[Refusal]:
    if len(tests) > _DEEPEST:
        return
    for statement in body:
        if isinstance(statement, ast.If):
            for arm, holds in ((statement.body, True), (statement.orelse, False)):
                behind = (*tests, (statement.test, holds))
                if leaves_block(arm, index):
                    yield behind
                else:
                    yield from _refusals(index, arm, behind)
