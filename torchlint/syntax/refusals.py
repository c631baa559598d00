"""What a program refuses to do together: nested tests that end in an exit.

`if args.distributed: if args.parts > 1: raise NotImplementedError`: at most one of both holds past that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from torchlint.syntax.exits import leaves_block

if TYPE_CHECKING:
    from torchlint.syntax.index import Index
    from torchlint.syntax.scope import Block

Refusal: TypeAlias = "tuple[tuple[ast.expr, bool], ...]"
"""Tests, with the outcomes under which the program exits."""
_DEEPEST = 4


def refusals_in(index: Index, block: Block) -> Iterator[tuple[int, Refusal]]:
    """Yield the combinations under which the `if`s of a block exit, each with its position."""
    for at, one in enumerate(block.body):
        yield from ((at, refusal) for refusal in _refusals(index, [one], ()))


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
