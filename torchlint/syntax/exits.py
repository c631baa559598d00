"""Where control does not go on: statements that never complete, and the jumps of loops."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from torchlint.syntax.elif_chains import chain_of
from torchlint.syntax.enclosing import enclosing
from torchlint.syntax.index import Index
from torchlint.syntax.last_names import last_name
from torchlint.syntax.walk import walk, written

LoopNode: TypeAlias = "ast.For | ast.AsyncFor | ast.While"

LOOPS = (ast.For, ast.AsyncFor, ast.While)
_EXITS = frozenset({"sys.exit", "exit", "quit", "os._exit", "os.abort", "pytest.skip", "pytest.exit"})
# Methods that never return, and their owners' names: of argparse, of click, of unittest.
_EXITING = {
    "error": re.compile("parser$|^ap$"),
    "exit": re.compile("parser$|^ap$|^ctx$|context$"),
    "fail": re.compile("^ctx$|context$"),
    "abort": re.compile("^ctx$|context$"),
    "skipTest": re.compile("^self$"),
}
# `pytest.raises`, `self.assertRaisesRegex`, `numpy.testing.assert_raises`.
_EXPECTING = re.compile(r"[rR]aises")


def leaves(statement: ast.stmt, index: Index) -> bool:
    """Tell whether control never goes on to the statement after this one."""
    match statement:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.Expr():
            return is_exit(statement)
        case ast.If(body=body, orelse=orelse):
            return bool(orelse) and leaves_block(body, index) and _elifs_leave(orelse, index)
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return leaves_block(body, index) and not suppresses(statement)
        case ast.Try(body=body, handlers=handlers, finalbody=final):
            ends = leaves_block(body, index) and all(leaves_block(handler.body, index) for handler in handlers)
            return ends or leaves_block(final, index)
        case ast.While() if runs_forever(statement):
            return next(jumps(index, statement, ast.Break), None) is None
        case _:
            return False


def is_exit(statement: ast.stmt) -> bool:
    """Tell whether a statement ends the program, or the test: `sys.exit(1)`, `parser.error("no GPU")`."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=name))) if _never_returns(owner, name):
            return True
        case ast.Expr(value=ast.Call(func=function)):
            return last_name(function) in _LAST_NAMES and written(function) in _EXITS
        case _:
            return False


def _never_returns(owner: ast.expr, method: str) -> bool:
    return method in _EXITING and _EXITING[method].search(last_name(owner).lower()) is not None


def leaves_block(body: Sequence[ast.stmt], index: Index) -> bool:
    """Tell whether control never reaches the end of a block."""
    return first_leaving(body, index) is not None


def _elifs_leave(orelse: list[ast.stmt], index: Index) -> bool:
    """Tell whether control never reaches the end of an `else`: in one that is a chain of `elif`s, from the last on."""
    match orelse:
        case [ast.If(orelse=[ast.If()]) as statement] if id(orelse) not in index.leaving:
            for one in reversed([*chain_of(statement)]):
                leaves_block(one.orelse, index)
        case _:
            pass
    return leaves_block(orelse, index)


def first_leaving(body: Sequence[ast.stmt], index: Index) -> int | None:
    """Return the position of the first statement of a block that never completes, None if there is none."""
    if (key := id(body)) not in index.leaving:
        index.leaving[key] = next((at for at, one in enumerate(body) if leaves(one, index)), None)
    return index.leaving[key]


def runs_forever(statement: ast.stmt) -> bool:
    """Tell whether a statement is `while True`, which only a jump ends."""
    return isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant) and bool(statement.test.value)


def jumps(index: Index, loop: LoopNode, kind: type[ast.Break | ast.Continue]) -> Iterator[ast.stmt]:
    """Yield the `break`s or `continue`s that belong to a loop."""
    if index.jumps is None:
        index.jumps = {}
        for jump in (*index.statements(ast.Break), *index.statements(ast.Continue)):
            if (owner := next(loops_of(index, jump), None)) is not None:
                index.jumps.setdefault(owner, []).append(jump)
    yield from (jump for jump in index.jumps.get(loop, ()) if isinstance(jump, kind))


def holds_continue(index: Index, statement: ast.stmt) -> bool:
    """Tell whether there is a `continue` in a statement."""
    if index.continuing is None:
        index.continuing = set()
        for jump in index.statements(ast.Continue):
            current: ast.stmt | None = jump
            while current is not None and current not in index.continuing:
                index.continuing.add(current)
                current = index.home[current][0].outer
    return statement in index.continuing


def loops_of(index: Index, statement: ast.stmt) -> Iterator[LoopNode]:
    """Yield the loops of the same function whose bodies contain a statement, innermost first."""
    for block in enclosing(index, statement, LOOPS):
        if isinstance(block.owner, LOOPS) and block.arm == "body":
            yield block.owner


def runs_once(loop: LoopNode) -> bool:
    """Tell whether a loop has a single iteration by its text: `for _ in range(1)`."""
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=1)])):
            return True
        case _:
            return False


def suppresses(statement: ast.With | ast.AsyncWith) -> bool:
    """Tell whether a `with` suppresses the exceptions of its body."""
    return expects_to_raise(statement) or "suppress" in _contexts(statement)


def expects_to_raise(statement: ast.With | ast.AsyncWith) -> bool:
    """Tell whether a `with` waits for its body to raise: `with pytest.raises(RuntimeError):`."""
    return any(map(is_expectation, _contexts(statement)))


def is_expectation(name: str) -> bool:
    """Tell whether what has a name expects an exception: `raises` of pytest, `assertRaises` of unittest."""
    return _EXPECTING.search(name) is not None


def _contexts(statement: ast.With | ast.AsyncWith) -> set[str]:
    """Return the last names of what a `with` calls, in a choice too: `pytest.raises(E) if bad else nullcontext()`."""
    nodes = (node for item in statement.items for node in walk(item.context_expr))
    return {last_name(node.func) for node in nodes if isinstance(node, ast.Call)}


_LAST_NAMES = frozenset(name.rpartition(".")[2] for name in _EXITS)
