"""What statements have behind them, shared by all that have the same: the next of a block mostly adds nothing."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.guards.facts import Facts, facts_of
from torchlint.model.syntax.conditions import Condition, Iteration, exits_of, head_of

if TYPE_CHECKING:
    from torchlint.model.syntax.index import Index
    from torchlint.model.syntax.scope import Block


@dataclass(frozen=True, slots=True, eq=False)
class Behind:
    """The tests and loops that a statement has behind it, innermost first, and what these make sure."""

    conditions: tuple[Condition | Iteration, ...]
    facts: Facts


class BehindStatements:
    """Keeps, for each block and each number of its early exits, what lies behind a statement that comes after them."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._found: dict[Block, list[Behind]] = {}
        self._nothing = Behind((), Facts({}))

    def at(self, statement: ast.stmt) -> Behind:
        """Return what a statement has behind it, up to the function or file around."""
        index = self._index
        block, position = index.home[statement]
        if block not in self._found:
            # From the outermost block that is not known inwards.
            unknown = [one for one, _ in index.blocks_around(statement) if one not in self._found]
            for one in reversed(unknown):
                self._found[one] = [self._on_entering(one)]
        found, exits = self._found[block], exits_of(index, block)
        for tests in exits.tests[len(found) - 1 : exits.before(position)]:
            found.append(self._added(block, tests, found[-1]))
        return found[exits.before(position)]

    def _on_entering(self, block: Block) -> Behind:
        """Return what lies behind the first statement of a block; what is around it is known."""
        is_body_of_scope = block.outer is None or block.owner is block.scope.node
        outer = self._nothing if is_body_of_scope or block.outer is None else self.at(block.outer)
        return self._added(block, tuple(head_of(block)), outer)

    def _added(self, block: Block, tests: tuple[Condition | Iteration, ...], outer: Behind) -> Behind:
        """Return what lies behind some more tests, the inner ones."""
        if not tests:
            return outer
        facts = facts_of(tests, block.scope, self._index).outcomes
        both = Facts({**outer.facts.outcomes, **facts}) if facts else outer.facts
        return Behind((*tests, *outer.conditions), both)
