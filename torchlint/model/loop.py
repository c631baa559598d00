"""A loop, as rules see it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call
from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.training.what_trains import step_loops_of
from torchlint.syntax.exits import LoopNode
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile


def loop_statements(file: ParsedFile) -> list[LoopNode]:
    """Return the loops of a file, in source order."""
    found: list[LoopNode] = [*file.index.statements(ast.For)]
    found += file.index.statements(ast.AsyncFor)
    found += file.index.statements(ast.While)
    return sorted(found, key=lambda statement: statement.lineno)


@dataclass(frozen=True, slots=True)
class Loop:
    """A `for` or `while` of a file."""

    file: ParsedFile
    statement: LoopNode

    @property
    def header(self) -> Place:
        """Return what the loop iterates over, or its test."""
        return header(self.file, self.statement)

    @property
    def is_for(self) -> bool:
        """Tell whether the loop is a `for`."""
        return not isinstance(self.statement, ast.While)

    @property
    def targets(self) -> tuple[str, ...]:
        """Return the names that each iteration binds."""
        if isinstance(self.statement, ast.While):
            return ()
        return tuple(node.id for node in walk(self.statement.target) if isinstance(node, ast.Name))

    @property
    def trains(self) -> bool:
        """Tell whether this is a step loop: each iteration makes a training step."""
        return step_loops_of(self.file.project).has_loop(self.file, self.statement)

    def holds(self, place: Place) -> bool:
        """Tell whether a place is in the body of the loop."""
        return place.file is self.file and self.file.index.is_in_body(place.statement, self.statement)

    def calls(self) -> Iterator[Call]:
        """Yield the calls in the body, without those of functions defined there."""
        scope = self.file.index.home[self.statement][0].scope
        for call, statement in self.file.calls_in_scope(scope):
            place = Call(self.file, call, statement)
            if self.holds(place):
                yield place
