"""What dominates statements, shared by all with the same conditions: the next of a block mostly adds none."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from torchlint.syntax.dominating_conditions import (
    Condition,
    Iteration,
    conditions_inside,
    decided_part,
    exits_of,
    head_of,
)
from torchlint.syntax.elif_chains import Chain, chain_around
from torchlint.syntax.facts import Facts, facts_of

if TYPE_CHECKING:
    from torchlint.syntax.index import Index
    from torchlint.syntax.scope import Block
    from torchlint.syntax.walk import Parents

# Each `elif` has the facts of all before it; of as many as there are lines, these would fill the memory.
_MOST_FACTS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Dominators:
    """The conditions and loops that dominate a statement, innermost first, and the facts that follow from them."""

    conditions: tuple[Condition | Iteration, ...]
    facts: Facts


class StatementDominators:
    """Keeps, for each block and each number of its early exits, what dominates a statement after them."""

    def __init__(self, index: Index, texts_in: Callable[[ast.expr], Iterable[str]]) -> None:
        self._index = index
        self._texts_in = texts_in
        self._found: dict[Block, list[Dominators]] = {}
        self._nothing = Dominators((), Facts({}))
        self._saying: dict[Block, dict[str, list[tuple[int, Condition]]]] = {}
        self._saying_by_chain: dict[ast.If, dict[str, list[tuple[int, Condition]]]] = {}

    def at(self, statement: ast.stmt) -> Dominators:
        """Return what dominates a statement, up to the enclosing function or file."""
        index = self._index
        block, position = index.home[statement]
        if block not in self._found:
            # From the outermost block that is not known inwards: what is around one that is known is known, too.
            around = (one for one, _ in index.blocks_around(statement))
            unknown = [*takewhile(lambda one: one not in self._found, around)]
            for one in reversed(unknown):
                self._found[one] = [self._on_entering(one)]
        found = self._found[block]
        if not position:
            return found[0]
        exits = exits_of(index, block)
        for tests in exits.tests[len(found) - 1 : exits.before(position)]:
            found.append(self._added(block, tests, found[-1]))
        return found[exits.before(position)]

    def tests_saying(self, statement: ast.stmt, text: str) -> Iterator[Condition]:
        """Yield the conditions of a statement that contain a name or attribute, by its text, innermost first."""
        current: ast.stmt | None = statement
        while current is not None:
            block, position = self._index.home[current]
            if block.arm == "orelse" and (found := chain_around(self._index, block)) is not None:
                chain, position = found
                said, current = self._said_by(chain).get(text), chain[0]
            else:
                said, current = self._said_in(block).get(text), self._outer(block)
            if said:
                yield from (test for _, test in reversed(said[: bisect_left(said, (position,))]))

    def _said_by(self, chain: Chain) -> dict[str, list[tuple[int, Condition]]]:
        """Return the tests of a chain of `elif`s, which fail for those after them, by the names in them."""
        if (found := self._saying_by_chain.get(chain[0])) is None:
            found = self._saying_by_chain[chain[0]] = {}
            for at, one in enumerate(chain[:-1]):
                test = Condition(one.test, False, one)
                for text in self._texts_in(one.test):
                    found.setdefault(text, []).append((at, test))
        return found

    def _outer(self, block: Block) -> ast.stmt | None:
        return block.outer if block.owner is not block.scope.node else None

    def _said_in(self, block: Block) -> dict[str, list[tuple[int, Condition]]]:
        """Return the conditions of a block's exits by the names in them, each with its position, -1 for the head."""
        if (found := self._saying.get(block)) is None:
            found = self._saying[block] = {}
            exits = exits_of(self._index, block)
            heads = (one for one in reversed([*head_of(block)]) if isinstance(one, Condition))
            told = [
                (at, test) for at, tests in zip(exits.positions, exits.tests, strict=True) for test in reversed(tests)
            ]
            for at, test in (*((-1, one) for one in heads), *told):
                for text in self._texts_in(test.test):
                    found.setdefault(text, []).append((at, test))
        return found

    def _on_entering(self, block: Block) -> Dominators:
        """Return what dominates the first statement of a block; what encloses the block is known."""
        is_body_of_scope = block.outer is None or block.owner is block.scope.node
        outer = self._nothing if is_body_of_scope or block.outer is None else self.at(block.outer)
        tests = tuple(head_of(block))
        if len(outer.facts.outcomes) >= _MOST_FACTS and chain_around(self._index, block) is not None:
            return Dominators((*tests, *outer.conditions), outer.facts)
        return self._added(block, tests, outer)

    def _added(self, block: Block, tests: tuple[Condition | Iteration, ...], outer: Dominators) -> Dominators:
        """Return what dominates a place under some more conditions, the inner ones."""
        if not tests:
            return outer
        facts = facts_of(tests, block.scope, self._index).outcomes
        both = Facts({**outer.facts.outcomes, **facts}) if facts else outer.facts
        return Dominators((*tests, *outer.conditions), both)


class PartDominators:
    """Keeps what dominates the parts of statements: `a` and the conditions of the whole dominate `b` in `a and b`."""

    def __init__(
        self, index: Index, parents_in: Callable[[ast.stmt], Parents], statements: StatementDominators
    ) -> None:
        self._index = index
        self._parents_in = parents_in
        self._statements = statements
        self._inside: dict[ast.AST, tuple[Condition | Iteration, ...]] = {}
        self._found: dict[ast.AST, Dominators] = {}

    def inside(self, statement: ast.stmt, node: ast.AST) -> tuple[Condition | Iteration, ...]:
        """Return the conditions within a statement that dominate a node in it, innermost first."""
        part = self._part(statement, node)
        return self._inside_of(statement, part) if part is not None else ()

    def at(self, statement: ast.stmt, node: ast.AST) -> Dominators:
        """Return what dominates a node, up to the enclosing function or file."""
        around, part = self._statements.at(statement), self._part(statement, node)
        if part is None or not (inside := self._inside_of(statement, part)):
            return around
        if (found := self._found.get(part)) is None:
            conditions = (*inside, *around.conditions)
            facts = facts_of(conditions, self._index.home[statement][0].scope, self._index)
            found = self._found[part] = Dominators(conditions, facts)
        return found

    def _part(self, statement: ast.stmt, node: ast.AST) -> ast.AST | None:
        return decided_part(node, self._parents_in(statement)) if statement in self._index.deciding else None

    def _inside_of(self, statement: ast.stmt, part: ast.AST) -> tuple[Condition | Iteration, ...]:
        if (found := self._inside.get(part)) is None:
            found = self._inside[part] = tuple(conditions_inside(statement, part, self._parents_in(statement)))
        return found
