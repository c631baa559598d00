"""The conditions that dominate a place: it only runs if they have their outcomes."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypeAlias

from torchlint.syntax.elif_chains import chain_of
from torchlint.syntax.exits import leaves_block
from torchlint.syntax.index import Index
from torchlint.syntax.patterns import plain_guard
from torchlint.syntax.scope import Block
from torchlint.syntax.walk import Parents

# Statements are smaller; in a generated one, not every pair of parts is looked at.
_MOST_INSIDE = 32

Lets: TypeAlias = Literal["on", "in", "past"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A test, its outcome, and the statement with the test in its header."""

    test: ast.expr
    holds: bool
    statement: ast.stmt
    lets: Lets = "in"
    """Whether what it dominates is in that header as well, in an arm, or past an early exit."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """A loop or comprehension around a place: it only runs if `source` is not empty."""

    source: ast.expr
    statement: ast.stmt


@dataclass(frozen=True, slots=True, eq=False)
class Exits:
    """The asserts and early exits of a block, in order: their positions, and the conditions of each."""

    positions: list[int]
    tests: list[tuple[Condition, ...]]

    def before(self, position: int) -> int:
        """Return how many of them are before a position."""
        return bisect_left(self.positions, position)


def conditions(index: Index, statement: ast.stmt, until: ast.stmt | None = None) -> Iterator[Condition | Iteration]:
    """Yield what dominates a statement, innermost first, up to the loop `until` or the enclosing function or file."""
    for block, position in index.blocks_around(statement):
        if position:
            yield from _earlier_exits(index, block, position)
        if block.owner is until and until is not None:
            return
        yield from head_of(block)


def exits_of(index: Index, block: Block) -> Exits:
    """Return the early exits of a block, in order, with the conditions past each."""
    if (found := index.exits.get(block)) is None:
        told = ((position, tuple(_let_past(index, one))) for position, one in enumerate(block.body))
        some = [(position, tests) for position, tests in told if tests]
        found = index.exits[block] = Exits([position for position, _ in some], [tests for _, tests in some])
    return found


def conditions_inside(statement: ast.stmt, node: ast.AST, parents: Parents) -> Iterator[Condition | Iteration]:
    """Yield the tests of the ternaries, `and`s, `or`s and comprehensions between a node and its statement."""
    # A chain of calls may be long, and each of them makes this query.
    return islice(_inside(statement, node, parents), _MOST_INSIDE) if parents.decide else iter(())


def decided_part(node: ast.AST, parents: Parents) -> ast.AST | None:
    """Return the expression of a statement with the same conditions as a node in it, None if there are none."""
    child = node
    while (parent := parents.get(child)) is not None:
        match parent:
            case ast.BoolOp(values=values):
                return child if child in values[:_MOST_INSIDE] else values[_MOST_INSIDE]
            case ast.IfExp() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return child
        child = parent
    return None


def opened_by(index: Index, statement: ast.If, holds: bool) -> list[ast.stmt]:
    """Return what runs if the test of an `if` has an outcome: an arm, and what is below if the other arm leaves."""
    arm, other = (statement.body, statement.orelse) if holds else (statement.orelse, statement.body)
    block, position = index.home[statement]
    return [*arm, *block.body[position + 1 :]] if other and leaves_block(other, index) else arm


def _inside(statement: ast.stmt, node: ast.AST, parents: Parents) -> Iterator[Condition | Iteration]:
    child = node
    while (parent := parents.get(child)) is not None:
        match parent:
            case ast.IfExp(test=test, body=body) if child is not test:
                yield Condition(test, child is body, statement, "on")
            case ast.BoolOp(op=operator, values=values):
                for value in values:
                    if value is child:
                        break
                    yield Condition(value, isinstance(operator, ast.And), statement, "on")
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                yield from _comprehension(parent.generators, child, statement)
        child = parent


def _comprehension(
    generators: list[ast.comprehension], child: ast.AST, statement: ast.stmt
) -> Iterator[Condition | Iteration]:
    for generator in generators:
        if generator is child:
            return
        yield Iteration(generator.iter, statement)
        for test in generator.ifs:
            yield Condition(test, True, statement, "on")


def head_of(block: Block) -> Iterator[Condition | Iteration]:
    """Yield the conditions of the statement around a block for the block."""
    match block.owner:
        case ast.If(test=test) as owner:
            yield Condition(test, block.arm == "body", owner)
        case ast.While(test=test) as owner if block.arm == "body":
            yield Condition(test, True, owner)
        case ast.For(iter=source) | ast.AsyncFor(iter=source) as owner if block.arm == "body":
            yield Iteration(source, owner)
        case ast.match_case() as case if (guard := plain_guard(case)) is not None and block.outer is not None:
            yield Condition(guard, True, block.outer)


def _earlier_exits(index: Index, block: Block, position: int) -> Iterator[Condition]:
    """Yield the conditions of the statements before a place in its block: asserts and early exits."""
    exits = exits_of(index, block)
    for tests in reversed(exits.tests[: exits.before(position)]):
        yield from tests


def _let_past(index: Index, earlier: ast.stmt) -> Iterator[Condition]:
    match earlier:
        case ast.Assert(test=test):
            yield Condition(test, True, earlier, "past")
        case ast.If():
            yield from _let_through(index, earlier)


def _let_through(index: Index, statement: ast.If) -> Iterator[Condition]:
    """Yield the conditions past an `if` and its `elif`s: those whose arms leave the block."""
    for one in chain_of(statement):
        body_leaves = leaves_block(one.body, index)
        orelse_leaves = bool(one.orelse) and leaves_block(one.orelse, index)
        if body_leaves and not orelse_leaves:
            yield Condition(one.test, False, one, "past")
            continue
        if orelse_leaves and not body_leaves:
            yield Condition(one.test, True, one, "past")
        elif (tests := _needed_one_of(index, one)) and not body_leaves:
            yield Condition(tests, True, one, "past")
        return


def _needed_one_of(index: Index, statement: ast.If) -> ast.expr | None:
    """Return `a or b` for `if a: … elif b: … else: return`, None if the last arm goes on or there is none."""
    if statement not in index.needed:
        chain = [*chain_of(statement)]
        if chain[-1].orelse and leaves_block(chain[-1].orelse, index):
            tests = [statement.test, *(one.test for one in chain[1:] if not leaves_block(one.body, index))]
            needed = ast.copy_location(ast.BoolOp(ast.Or(), tests), statement.test)
            index.needed[statement] = needed if len(tests) > 1 else None
        else:
            index.needed |= dict.fromkeys(chain)
    return index.needed[statement]
