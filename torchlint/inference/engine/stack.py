"""The queries that are being answered: how deep they lie, how far calls were followed, and which cycles are open."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

from torchlint.inference.limits import CALL_STRING_LIMIT, QUERY_DEPTH
from torchlint.project.dependencies import Dependencies
from torchlint.steps import Steps

_Answer = TypeVar("_Answer")

NOWHERE = QUERY_DEPTH + 1
"""The depth of no query at all."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """A cycle in which nothing new came up in the end: what all answers in it have in common."""

    of_world: bool
    is_truncated: bool
    depends_on: int
    depth_used: int
    call_depth: int
    """The call depth of the query by which it was entered."""


class QueryStack:
    """The queries that are being answered, shared by all kinds of queries of one evaluator."""

    def __init__(self, dependencies: Dependencies, steps: Steps) -> None:
        self.dependencies = dependencies
        self.steps = steps
        self.depth_of: dict[Hashable, int] = {}
        self.provisional: dict[Hashable, object] = {}
        """The values of open queries from an earlier iteration."""
        self.leaned_on: set[Hashable] = set()
        """Open queries of which a provisional value was used: where that changes, whoever used it is asked again."""
        self.open: list[Hashable] = []
        """The same queries, outermost first."""
        self.inside: dict[Hashable, tuple[object, Hashable]] = {}
        """Answers found inside cycles that are still open, with the outermost query that they rested on when found."""
        self.trail: list[tuple[Hashable, Callable[[object, Cycle | None], None]]] = []
        """The keys of `inside` in the order of their making, each with what keeps its answer for good."""
        self.reached = NOWHERE
        """The depth of the outermost open query that the answer in the making has made use of."""
        self.in_cycle = False
        """Whether the answer in the making rests on one that was found in a cycle."""
        self.of_world = False
        """Whether the answer in the making rests on what the machine has, or on which options were given."""
        self.is_new = False
        """Whether something new came up in this iteration of a cycle."""
        self.call_depth = 0
        """The calls on the way to the query that is being answered."""
        self.depth_used = 0
        """The calls from there that the answer in the making took."""
        self.is_truncated = False
        """Whether call depth was wanting for the answer in the making."""

    def one_call_deeper(self, ask: Callable[[], _Answer], otherwise: _Answer) -> _Answer:
        """Return what is found one call deeper, or something else where no depth is left."""
        if self.call_depth >= CALL_STRING_LIMIT:
            self.is_truncated = True
            return otherwise
        outer, self.depth_used = self.depth_used, 0
        self.call_depth += 1
        try:
            return ask()
        finally:
            self.call_depth -= 1
            self.depth_used = max(outer, self.depth_used + 1)

    def depth_under(self, query: Hashable) -> int:
        """Return the depth of a query that an answer rests on, or of the one that this in turn was found to."""
        while (depth := self.depth_of.get(query)) is None:
            query = self.inside[query][1]
        return depth

    def abandon(self) -> None:
        """Leave no query open: whoever asked has answered or has failed."""
        self.depth_of.clear()
        self.open.clear()
        self.provisional.clear()
        self.leaned_on.clear()
        self.inside.clear()
        self.trail.clear()
        self.reached = NOWHERE
        self.in_cycle = self.of_world = self.is_truncated = False
        self.call_depth = self.depth_used = 0

    def forget(self, mark: int) -> None:
        """Drop what was found inside a cycle since a mark, to ask it again."""
        for query, _ in self.trail[mark:]:
            self.inside.pop(query, None)
        del self.trail[mark:]

    def settle(self, mark: int, cycle: Cycle | None) -> None:
        """Keep what was found inside a cycle since a mark, for good if nothing new came up in the end."""
        for query, keep in self.trail[mark:]:
            self.provisional.pop(query, None)
            if (found := self.inside.pop(query, None)) is not None:
                keep(found[0], cycle)
        del self.trail[mark:]
