"""Where a call stands in its round of a loop, and which optimizer it is about."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlint.model.syntax.exits import LoopNode, loops_of

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.place import Place
    from torchlint.model.syntax.scope import Block
    from torchlint.model.values.evaluator import Evaluator


def home_of(place: Place) -> tuple[Block, int]:
    """Return the block with which a place always runs, the bodies of `with`s left out, and where in it."""
    index = place.file.index
    block, position = index.home[place.statement]
    while isinstance(block.owner, (ast.With, ast.AsyncWith)):
        block, position = index.home[block.owner]
    return block, position


def optimizer_of(call: Call) -> Place | None:
    """Return what a `step()` is about: the optimizer, be it handed to a gradient scaler."""
    return call.arguments[0] if call.arguments else call.owner


def are_one(ev: Evaluator, one: Place, other: Place) -> bool:
    """Tell whether two expressions stand for an object that was made at the same place."""
    here, there = ({found.origin for found in ev.evaluate(place)} - {None} for place in (one, other))
    return bool(here & there)


def round_of(place: Place) -> LoopNode | None:
    """Return the innermost loop that a place is in."""
    return next(loops_of(place.file.index, place.statement), None)


class ByRound:
    """Calls in source order, by the round that each runs in: those of other rounds run before nothing in it."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self._calls: dict[LoopNode | None, list[Call]] = {}
        for call in calls:
            self.add(call)

    def add(self, call: Call) -> None:
        """Add a call that comes after the others."""
        self._calls.setdefault(round_of(call), []).append(call)

    def before(self, place: Place) -> list[Call]:
        """Return the calls that whoever comes to a place has made in the same round, in source order."""
        return [one for one in self._calls.get(round_of(place), ()) if runs_before(one, place)]

    def last_before(self, place: Place) -> Call | None:
        """Return the last of them."""
        return next((one for one in reversed(self._calls.get(round_of(place), [])) if runs_before(one, place)), None)


def runs_before(one: Place, other: Place) -> bool:
    """Tell whether whoever comes to a place has come by another one of the same function in the same round."""
    if one.scope is not other.scope or round_of(one) is not round_of(other):
        return False
    block, position = home_of(one)
    own = dict(one.file.index.blocks_around(other.statement)).get(block)
    return own is not None and (position < own or (position == own and one.line < other.line))
