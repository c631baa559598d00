"""A file that knows which tests and loops lie behind each of its places."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchlint.model.syntax.behind import BehindStatements
from torchlint.model.syntax.conditions import Condition, Iteration, conditions_inside
from torchlint.model.syntax.facts import Facts, facts_of
from torchlint.model.syntax.indexedfile import IndexedFile
from torchlint.source import Source


class GuardedFile(IndexedFile):
    """An indexed file with what guards its statements."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self._facts: dict[tuple[ast.stmt, ast.expr], Facts] = {}
        self._behind = BehindStatements(self.index, self.texts_in)

    def conditions_at(self, statement: ast.stmt, node: ast.expr) -> tuple[Condition | Iteration, ...]:
        """Return what a place has behind it, innermost first."""
        around = self._behind.at(statement).conditions
        if statement not in self.index.deciding:
            return around
        inside = tuple(conditions_inside(statement, node, self.parents_in(statement)))
        return (*inside, *around) if inside else around

    def tests_saying(self, statement: ast.stmt, node: ast.expr, text: str) -> Iterator[Condition]:
        """Yield the tests behind a place that have a name or attribute in them, as it is written, innermost first."""
        if statement in self.index.deciding:
            inside = conditions_inside(statement, node, self.parents_in(statement))
            yield from (one for one in inside if isinstance(one, Condition) and text in self.texts_in(one.test))
        yield from self._behind.tests_saying(statement, text)

    def facts_at(self, statement: ast.stmt, node: ast.expr) -> Facts:
        """Return what the conditions of a place make sure."""
        if statement not in self.index.deciding:
            return self._behind.at(statement).facts
        if (facts := self._facts.get((statement, node))) is None:
            around = self._behind.at(statement).facts
            inside = conditions_inside(statement, node, self.parents_in(statement))
            own = facts_of(inside, self.index.home[statement][0].scope, self.index)
            facts = Facts({**around.outcomes, **own.outcomes}) if own else around
            self._facts[statement, node] = facts
        return facts
