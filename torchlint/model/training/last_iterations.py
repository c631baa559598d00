"""Branches before a loop is left: `if step >= most: log(loss)` and, below it, `if step >= most: break`."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from torchlint.syntax.exits import holds_continue, loops_of
from torchlint.syntax.index import Index
from torchlint.syntax.scope import Block
from torchlint.syntax.walk import walk, written

_JUMPS = (ast.Return, ast.Break)


def leaves_further_down(index: Index, arm: Block, loop: ast.stmt) -> bool:
    """Tell whether an iteration of a loop that takes the first arm of a branch leaves the loop further down."""
    branch = arm.owner
    if not isinstance(branch, ast.If) or arm.arm != "body" or next(loops_of(index, branch), None) is not loop:
        return False
    for block, position in index.blocks_around(branch):
        for later in _ways_out(index, block).below(position, _parts(branch.test)):
            if _always_leaves(index, later, branch) and not _is_changed(index, branch, later):
                return True
        if block.owner is loop:
            return False
    return False


@dataclass(frozen=True, slots=True, eq=False)
class _WaysOut:
    """The statements of a block by which an iteration may leave its loop, by their positions."""

    body: Sequence[ast.stmt]
    jumps: list[int]
    by_part: dict[str, list[int]]
    """The `if`s by each of the tests one of which is enough."""
    continuing: list[int]

    def below(self, position: int, parts: set[str]) -> Iterator[ast.stmt]:
        """Yield the statements after a position, and before any `continue`, that jump or test all of some parts."""
        asking = min((self.by_part.get(part, []) for part in parts), key=len)
        end = next(iter(_behind(self.continuing, position)), len(self.body))
        for positions in (self.jumps, asking):
            yield from (self.body[one] for one in takewhile(end.__gt__, _behind(positions, position)))


def _behind(positions: list[int], position: int) -> Iterator[int]:
    return islice(positions, bisect_right(positions, position), None)


def _ways_out(index: Index, block: Block) -> _WaysOut:
    if (found := index.ways_out.get(block)) is None:
        body = list(enumerate(block.body))
        by_part = defaultdict(list)
        for position, statement in body:
            for part in _parts(statement.test) if isinstance(statement, ast.If) else ():
                by_part[part].append(position)
        jumps = [position for position, one in body if isinstance(one, _JUMPS)]
        continuing = [position for position, one in body if holds_continue(index, one)]
        found = index.ways_out[block] = _WaysOut(block.body, jumps, by_part, continuing)
    return found


def _always_leaves(index: Index, statement: ast.stmt, branch: ast.If) -> bool:
    """Tell whether a statement leaves the loop if the test of a branch above held."""
    if isinstance(statement, _JUMPS):
        return True
    if not isinstance(statement, ast.If) or not _parts(branch.test) <= _parts(statement.test):
        return False
    inner = takewhile(lambda one: not holds_continue(index, one), statement.body)
    return any(_always_leaves(index, one, branch) for one in inner)


def _parts(test: ast.expr) -> set[str]:
    """Return the tests one of which is enough: `a` and `b` of `a or b`."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]
    return {written(part) for part in parts}


def _is_changed(index: Index, branch: ast.If, later: ast.stmt) -> bool:
    """Tell whether anything that a test reads is bound again between a branch and a statement below it."""
    scope = index.home[branch][0].scope
    end = later.end_lineno or later.lineno
    for node in walk(branch.test):
        match node:
            case ast.Name(id=name):
                changes = [one.statement for one in scope.bindings.get(name, ())]
            case ast.Attribute(attr=name):
                changes = [one.statement for one in index.attribute_stores(name)]
            case ast.Call():
                return True
            case _:
                changes = []
        if any(branch.lineno < change.lineno <= end for change in changes):
            return True
    return False
