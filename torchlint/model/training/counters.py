"""What counts the iterations of a loop."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.syntax.exits import loops_of

if TYPE_CHECKING:
    from torchlint.model.place import Place

_COUNTERS = re.compile(
    r"(i|j|k|n|t|it|ii|(.*_)?(idx|index|step|steps|iter|iters|iteration|iterations|batch|count|counter|epoch|i|it|num|nr))"
)


def is_counter(node: ast.expr) -> bool:
    """Tell whether something counts iterations, by its name: `i`, `self.step`, `batch_idx + 1`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _COUNTERS.fullmatch(name.lower()) is not None
        case ast.BinOp(left=left, right=ast.Constant()):
            return is_counter(left) and not is_always_zero(node)
        case _:
            return False


def is_always_zero(node: ast.BinOp) -> bool:
    """Tell whether an operation counts nothing: `step % 1`, as of an interval that was once longer."""
    return isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Constant) and node.right.value == 1


def counts(test: Place, node: ast.expr) -> bool:
    """Tell whether something counts iterations, by its name or its operands: `ni = i + batches * epoch`."""
    if is_counter(node):
        return True
    bindings = test.scope.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    sums = [one.value for one in bindings if isinstance(one.value, ast.BinOp) and isinstance(one.value.op, ast.Add)]
    return any(is_counter(side) for one in sums for side in (one.left, one.right))


def counts_each_iteration(test: Place, node: ast.expr) -> bool:
    """Tell whether every iteration of the loop around a test adds to a name, and nothing else in it sets that."""
    loop = next(loops_of(test.file.index, test.statement), None)
    if loop is None or not isinstance(node, ast.Name):
        return False
    index = test.file.index
    changes = [one.statement for one in test.scope.bindings.get(node.id, ()) if index.is_in_body(one.statement, loop)]
    return len(changes) == 1 and index.home[changes[0]][0].owner is loop and _adds(changes[0])


def _adds(statement: ast.stmt) -> bool:
    """Tell whether a statement adds a number: `updates += 1`."""
    match statement:
        case ast.AugAssign(op=ast.Add(), value=ast.Constant(value=int() | float() as number)):
            return number > 0
        case _:
            return False


def tests_iteration(test: ast.expr) -> bool:
    """Tell whether a test compares the number of the iteration, and nothing else: `i == 0`, `step % 100 == 0`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return tests_iteration(operand)
        case ast.BinOp(left=left, op=ast.Mod()):
            return is_counter(left)
        case ast.Compare(left=left, comparators=[ast.Constant()]):
            return is_counter(left) or (isinstance(left, ast.BinOp) and tests_iteration(left))
        case _:
            return False


def is_of_last_iteration(test: ast.expr) -> bool:
    """Tell whether a test is true in the last iteration, among others: `epoch == epochs - 1`, `done or i + 1 == n`."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(is_of_last_iteration(value) for value in values)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.BinOp(op=ast.Sub(), right=ast.Constant(value=1))]):
            return is_counter(left)
        case ast.Compare(left=ast.BinOp(op=ast.Add(), right=ast.Constant(value=1)) as left, ops=[ast.Eq()]):
            return is_counter(left)
        case _:
            return False
