"""Numbers that a loop adds up, and that are not read before it ends."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Tensor
from torchlint.pytorch.comparisons import COMPARISONS
from torchlint.syntax.around import loops_around
from torchlint.syntax.exits import LoopNode
from torchlint.syntax.scope import Binding


@dataclass(frozen=True, slots=True)
class RunningSum:
    """A sum that starts as a number: the variable, the loop that adds to it, and where it is read afterwards."""

    name: str
    loop: Place
    reads: tuple[Place, ...]
    number: str
    """What converts it to a number: `float`, or `int` for a count; empty if unknown."""


def running_sum(term: Place, tensor: Place) -> RunningSum | None:
    """Return the sum that a tensor's number is added to, None if that is read in the loop, or is no sum."""
    match term.statement:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value) if _is_scaled(term.expression, value):
            pass
        case _:
            return None
    start = _start(term, name)
    loop = _loop(term, start) if start is not None else None
    if start is None or loop is None or start.statement.lineno >= loop.lineno:
        return None
    reads = tuple(_reads(term, name))
    end = loop.end_lineno or loop.lineno
    if not reads or not all(read.scope is term.scope and read.line > end for read in reads):
        return None
    starts_whole = isinstance(start.value, ast.Constant) and isinstance(start.value.value, int)
    number = "int" if starts_whole and _counts(tensor) and term.expression is term.statement.value else "float"
    # The number of digits shown is the author's choice: what starts as an integer may stay one.
    is_open = starts_whole and number == "float" and not carries_graph(tensor)
    return RunningSum(name, header(term.file, loop), reads, "" if is_open else number)


def carries_graph(tensor: Place) -> bool:
    """Tell whether a tensor may have a graph."""
    return any(isinstance(one.value, Tensor) and one.value.graph is not False for one in tensor.possibilities())


def _counts(tensor: Place) -> bool:
    """Tell whether a tensor is an integer: a count of elements that satisfy something."""
    match tensor.expression:
        case ast.Call(func=ast.Attribute(value=ast.Compare(), attr="sum"), args=[], keywords=[]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Attribute(attr=name)), attr="sum"), args=[]):
            return name in COMPARISONS
        case _:
            return False


def _is_scaled(term: ast.expr, value: ast.expr) -> bool:
    """Tell whether what is added is the term, or a multiple of it."""
    match value:
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div()) if left is term:
            return True
        case ast.BinOp(op=ast.Mult(), right=right) if right is term:
            return True
        case _:
            return value is term


def _start(term: Place, name: str) -> Binding | None:
    """Return where a variable of the function starts at zero, if nothing else is done to it but the addition."""
    bindings = term.scope.bindings.get(name, [])
    others = [binding for binding in bindings if binding.statement is not term.statement]
    if len(others) != 1 or len(bindings) != 2 or name in term.scope.outside:
        return None
    value = others[0].value
    is_zero = isinstance(value, ast.Constant) and type(value.value) in {int, float} and value.value == 0
    return others[0] if others[0].kind == "assign" and is_zero else None


def _loop(term: Place, start: Binding) -> LoopNode | None:
    """Return the outermost loop around a term that does not reset the sum."""
    blocks = [block.owner for block, _ in term.file.index.blocks_around(start.statement)]
    return next((loop for loop in reversed(list(loops_around(term))) if loop not in blocks), None)


def _reads(term: Place, name: str) -> Iterator[Place]:
    """Yield where a variable is read, in its function and in nested ones."""
    index = term.file.index
    for statement, (block, _) in index.home.items():
        scope = block.scope
        while scope is not term.scope and scope.outer is not None and name not in scope.bindings:
            scope = scope.outer
        if scope is term.scope:
            for node in term.file.parents_in(statement):
                if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                    yield Place(term.file, node, statement)
