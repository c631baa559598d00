"""What runs only in every n-th iteration of a loop: `if (i + 1) % n == 0: optimizer.step()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.syntax.exits import LOOPS
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.calls import Call


def every_nth(call: Call) -> ast.expr | None:
    """Return the n of the condition of a call within a loop: `if (i + 1) % n == 0:`."""
    for block, _ in call.file.index.blocks_around(call.statement):
        if isinstance(block.owner, LOOPS):
            return None
        if isinstance(block.owner, ast.If) and block.arm == "body":
            for node in _written_tests(call, block.owner.test):
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
                    return node.right
    return None


def _written_tests(call: Call, test: ast.expr) -> Iterator[ast.AST]:
    """Yield the parts of a test, and of what a name in it was assigned."""
    for node in walk(test):
        yield node
        if isinstance(node, ast.Name):
            for one in call.scope.bindings.get(node.id, ()):
                yield from walk(one.value) if one.value is not None and one.kind == "assign" else ()
