"""Where a variable is defined, by block: computed once for all queries of reaching definitions."""

from __future__ import annotations

import ast
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Generic, cast

from torchlint.syntax.definitions import AnyDefinition, Reaching
from torchlint.syntax.index import Index
from torchlint.syntax.scope import Block, Scope


class Layout(Generic[AnyDefinition]):
    """The definitions of one variable by the blocks and statements that contain them."""

    def __init__(self, index: Index, definitions: Sequence[AnyDefinition]) -> None:
        self._index = index
        self._definitions = definitions
        self.reaching: dict[ast.stmt, Reaching[AnyDefinition]] = {}
        """What may hold where a statement begins, if every test is undecided."""
        self.brought_back: dict[ast.stmt, list[AnyDefinition]] = {}
        """What the `continue`s of a loop carry to its next iteration, if every test is undecided."""
        self.own: dict[ast.stmt, list[AnyDefinition]] = {}
        """What a statement itself defines, without the blocks in it."""
        self.positions: dict[Block, list[int]] = {}
        """By block, the positions of the statements that hold a definition, in order."""
        self.parameters = tuple(one for one in definitions if one.kind == "parameter")
        self._scopes: set[Scope] = set()
        self._by_line: list[ast.stmt] | None = None
        self._inside: dict[tuple[Block, int], list[AnyDefinition]] = {}
        self._beyond: dict[ast.stmt, ast.stmt] = {}
        for definition in definitions:
            self.own.setdefault(definition.statement, []).append(definition)
            self._scopes.add(index.home[definition.statement][0].scope)
            self._note(definition.statement)

    def _note(self, statement: ast.stmt) -> None:
        """Note the positions that lead to a statement; if one is known, so are the enclosing ones."""
        for block, position in self._index.blocks_around(statement):
            positions = self.positions.setdefault(block, [])
            at = bisect_left(positions, position)
            if at < len(positions) and positions[at] == position:
                return
            insort(positions, position)

    def beyond(self, statement: ast.stmt) -> ast.stmt:
        """Return the outermost statement around one that holds no definition, or that one itself.

        Before both of them the same definitions may hold. n statements that are nested take n steps for all of them.
        """
        passed: list[ast.stmt] = []
        while statement not in self._beyond:
            block, _ = self._index.home[statement]
            if block.outer is None or block.owner is block.scope.node or self._holds_any(block.outer):
                self._beyond[statement] = statement
                break
            passed.append(statement)
            statement = block.outer
        found = self._beyond[statement]
        self._beyond.update(dict.fromkeys(passed, found))
        return found

    def _holds_any(self, statement: ast.stmt) -> bool:
        """Tell whether there is a definition in a statement."""
        block, position = self._index.home[statement]
        return position in self.backwards(block, position + 1, position)

    def backwards(self, block: Block, end: int | None, after: int) -> Iterator[int]:
        """Yield the positions of a block that contain a definition, the last first: before `end`, from `after` on."""
        positions = self.positions.get(block, [])
        at = len(positions) if end is None else bisect_left(positions, end)
        while at > 0 and positions[at - 1] >= after:
            at -= 1
            yield positions[at]

    def inside(self, block: Block, position: int) -> list[AnyDefinition]:
        """Return every definition in a statement of a block, in order."""
        if (block, position) not in self._inside:
            holding = ((one, self._index.blocks_around(one.statement)) for one in self._definitions)
            self._inside[block, position] = [one for one, around in holding if (block, position) in around]
        return self._inside[block, position]

    def bound_in(self, body: list[ast.stmt]) -> Iterator[AnyDefinition]:
        """Yield what is defined anywhere in the statements of a block, the last first."""
        if body:
            block = self._index.home[body[0]][0]
            for position in self.backwards(block, None, -1):
                yield from reversed(self.inside(block, position))

    def directly_in(self, body: list[ast.stmt]) -> Iterator[AnyDefinition]:
        """Yield what the statements of a block themselves define, without those inside them."""
        for position in self.positions.get(self._index.home[body[0]][0], ()):
            yield from self.own.get(body[position], ())

    def last_before(self, line: int) -> ast.stmt | None:
        """Return the last statement that defines the variable above a line."""
        if self._by_line is None:
            self._by_line = sorted(self.own, key=attrgetter("lineno"))
        at = bisect_left(self._by_line, line, key=attrgetter("lineno"))
        return self._by_line[at - 1] if at else None

    def bound_outside(self, scope: Scope) -> list[AnyDefinition]:
        """Return what other functions define by `global` or `nonlocal`."""
        if self._scopes <= {scope}:
            return []
        home = self._index.home
        return [
            one for one in self._definitions if one.kind != "parameter" and home[one.statement][0].scope is not scope
        ]


def layout_of(index: Index, definitions: Sequence[AnyDefinition]) -> Layout[AnyDefinition]:
    """Return the layout of a variable's definitions, which is made once."""
    known = cast("dict[tuple[AnyDefinition, ...], Layout[AnyDefinition]]", index.layouts)
    key = tuple(definitions)
    if (found := known.get(key)) is None:
        found = known[key] = Layout(index, key)
    return found
