"""A file that knows which conditions and loops dominate each of its places."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchlint.source import Source
from torchlint.syntax.dominance import PartDominators, StatementDominators
from torchlint.syntax.dominating_conditions import Condition, Iteration
from torchlint.syntax.facts import Facts
from torchlint.syntax.indexedfile import IndexedFile


class GuardedFile(IndexedFile):
    """An indexed file with what guards its statements."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self._dominators = StatementDominators(self.index, self.texts_in)
        self._part_dominators = PartDominators(self.index, self.parents_in, self._dominators)

    def conditions_inside(self, statement: ast.stmt, node: ast.expr) -> tuple[Condition | Iteration, ...]:
        """Return what dominates a place within its own statement, innermost first."""
        return self._part_dominators.inside(statement, node)

    def conditions_at(self, statement: ast.stmt, node: ast.expr) -> tuple[Condition | Iteration, ...]:
        """Return what dominates a place, innermost first."""
        return self._part_dominators.at(statement, node).conditions

    def tests_saying(self, statement: ast.stmt, node: ast.expr, text: str) -> Iterator[Condition]:
        """Yield the conditions of a place that contain a name or attribute, by its text, innermost first."""
        for one in self.conditions_inside(statement, node):
            if isinstance(one, Condition) and text in self.texts_in(one.test):
                yield one
        yield from self._dominators.tests_saying(statement, text)

    def facts_at(self, statement: ast.stmt, node: ast.expr) -> Facts:
        """Return the facts that follow from the conditions of a place."""
        return self._part_dominators.at(statement, node).facts
