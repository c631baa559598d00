"""Where a call is in its iteration of a loop, and which optimizer it is for."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING

from torchlint.syntax.exits import LoopNode, loops_of

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Block


def home_of(place: Place) -> tuple[Block, int]:
    """Return the block with which a place always runs, without the bodies of `with`s, and its position there."""
    index = place.file.index
    block, position = index.home[place.statement]
    while isinstance(block.owner, (ast.With, ast.AsyncWith)):
        block, position = index.home[block.owner]
    return block, position


def optimizer_of(call: Call) -> Place | None:
    """Return the optimizer of a `step()`, also if it is the argument of a gradient scaler."""
    return call.arguments[0] if call.arguments else call.owner


def are_one(ev: Evaluator, one: Place, other: Place) -> bool:
    """Tell whether two expressions refer to an object that was made at the same place."""
    here, there = ({found.origin for found in ev.evaluate(place)} - {None} for place in (one, other))
    return bool(here & there)


def innermost_loop(place: Place) -> LoopNode | None:
    """Return the innermost loop that a place is in."""
    return next(loops_of(place.file.index, place.statement), None)


class ByIteration:
    """Calls in source order, by their loops: a call in another iteration does not run before one in this."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self.calls: list[Call] = []
        self._of_iteration: dict[LoopNode | None, list[Call]] = defaultdict(list)
        self._of_inner: dict[LoopNode | None, list[Call]] = defaultdict(list)
        self._of_each: dict[ast.AST | None, list[Call]] = defaultdict(list)
        for call in calls:
            self.add(call)

    def add(self, call: Call) -> None:
        """Add a call that comes after the others."""
        loop, outer = (*islice(loops_of(call.file.index, call.statement), 2), None, None)[:2]
        self.calls.append(call)
        self._of_iteration[loop].append(call)
        if loop is not None:
            self._of_inner[outer].append(call)
        self._of_each[home_of(call)[0].owner].append(call)

    def before(self, place: Place) -> Iterator[Call]:
        """Yield the calls that run before a place in the same iteration, the last of them first."""
        of_iteration = self._of_iteration.get(innermost_loop(place), [])
        above = range(bisect_right(of_iteration, place.line, key=attrgetter("line")))
        return (of_iteration[at] for at in reversed(above) if runs_before(of_iteration[at], place))

    def at(self, owner: LoopNode) -> list[Call]:
        """Return the calls that a loop makes in every iteration, and those that it makes at its end."""
        return self._of_each.get(owner, [])

    def inside(self, loop: LoopNode | None) -> list[Call]:
        """Return the calls in the iterations of a loop; all of them if it is None."""
        if loop is None:
            return self.calls
        lines = self.between(loop.lineno - 1, (loop.end_lineno or loop.lineno) + 1)
        return [one for one in lines if one.file.index.is_in_body(one.statement, loop)]

    def in_loops_of(self, loop: LoopNode | None) -> list[Call]:
        """Return the calls in the loops that are directly in the body of another one, or in none."""
        return self._of_inner.get(loop, [])

    def between(self, after: int, before: int) -> list[Call]:
        """Return the calls on the lines between two."""
        start = bisect_right(self.calls, after, key=attrgetter("line"))
        return self.calls[start : bisect_left(self.calls, before, start, key=attrgetter("line"))]


def runs_before(one: Place, other: Place) -> bool:
    """Tell whether every path to a place has passed another one of the same function in the same iteration."""
    if one.scope is not other.scope or innermost_loop(one) is not innermost_loop(other):
        return False
    block, position = home_of(one)
    own = dict(one.file.index.blocks_around(other.statement)).get(block)
    return own is not None and (position < own or (position == own and one.line < other.line))
