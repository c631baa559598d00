"""Branches of a round that leaves the loop: `if step >= most: log(loss)` and, below it, `if step >= most: break`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchlint.model.syntax.exits import loops_of
from torchlint.model.syntax.index import Index
from torchlint.model.syntax.scope import Block
from torchlint.model.syntax.walk import walk, written


def leaves_further_down(index: Index, arm: Block, loop: ast.stmt) -> bool:
    """Tell whether a round of a loop that comes into the first arm of a branch leaves the loop further down."""
    branch = arm.owner
    if not isinstance(branch, ast.If) or arm.arm != "body" or next(loops_of(index, branch), None) is not loop:
        return False
    for block, position in index.blocks_around(branch):
        for later in _up_to_continue(block.body[position + 1 :]):
            if _always_leaves(later, branch) and not _is_changed(index, branch, later):
                return True
        if block.owner is loop:
            return False
    return False


def _always_leaves(statement: ast.stmt, branch: ast.If) -> bool:
    """Tell whether a statement leaves the loop wherever a test came out as it did for a branch above."""
    if isinstance(statement, (ast.Return, ast.Break)):
        return True
    if not isinstance(statement, ast.If) or not _parts(branch.test) <= _parts(statement.test):
        return False
    return any(_always_leaves(inner, branch) for inner in _up_to_continue(statement.body))


def _up_to_continue(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if any(isinstance(inner, ast.Continue) for inner in walk(statement)):
            return
        yield statement


def _parts(test: ast.expr) -> set[str]:
    """Return the tests of which one is enough: `a` and `b` of `a or b`."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]
    return {written(part) for part in parts}


def _is_changed(index: Index, branch: ast.If, later: ast.stmt) -> bool:
    """Tell whether anything that a test reads is bound anew between a branch and a statement below it."""
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
