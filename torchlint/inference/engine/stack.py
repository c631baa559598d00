"""The queries that are being answered: their depth, how far calls were followed, and which cycles are open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from torchlint.inference.limits import CALL_STRING_LIMIT, QUERY_DEPTH
from torchlint.project.dependencies import Dependencies
from torchlint.steps import Steps

_Answer = TypeVar("_Answer")

NOWHERE = QUERY_DEPTH + 1
"""The depth if no query is open."""


# A scope is the set of what an answer read of its world, as bits: worlds that are alike in this have the same answer.
EVERY_WORLD = 0
"""The scope of an answer that depends neither on the machine's devices nor on the options that were passed."""
OF_DEVICES = 1
"""The scope of an answer that depends on whether there is CUDA, or whether options have their defaults."""
OF_COUNT = 2
"""The scope of an answer that depends on whether it matters which GPU something is on, and on how many there are."""
ONE_WORLD = OF_DEVICES | OF_COUNT
"""The scope of an answer that is of one world alone, or was found in a cycle."""


# Not frozen, and compared by identity: one is made for each query that is opened.
@dataclass(slots=True, eq=False)
class Asked:
    """A query that is being answered, or that was answered inside a cycle which is still open."""

    keep: Callable[[Asked, Cycle | None], None]
    """Keeps the answer for good, once the cycle is closed."""
    key: Any
    provisional: Any
    """The value from an earlier iteration, at first bottom."""
    depth: int = -1
    """How many queries were open before it, -1 where it is not open."""
    is_leaned_on: bool = False
    """Whether the provisional value was used: if that changes, what used it is computed again."""
    found: Any = None
    """The answer that was found inside a cycle."""
    under: Asked | None = None
    """The outermost query that this answer depended on, None without such an answer."""
    call_depth: int = 0
    """The calls that were followed to it when that answer was found."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """A cycle whose last iteration found nothing new: what all its answers have in common."""

    scope: int
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
        self.open: list[Asked] = []
        """The queries that are open, outermost first."""
        self.tables: list[dict[Any, Asked]] = []
        """The queries of each kind that are open, or were answered inside a cycle that is still open."""
        self.unsettled: list[dict[Any, Any]] = []
        """The answers of each query that were found in a cycle and are not kept for good."""
        self.trail: list[Asked] = []
        """The queries that were answered inside cycles which are still open, in that order."""
        self.reached = NOWHERE
        """The depth of the outermost open query that the current answer depends on."""
        self.in_cycle = False
        """Whether the current answer depends on one that was found in a cycle."""
        self.scope = EVERY_WORLD
        """The worlds that the current answer is the same in."""
        self.is_new = False
        """Whether this iteration of a cycle found something new."""
        self.call_depth = 0
        """The calls followed to reach the query that is being answered."""
        self.depth_used = 0
        """The further calls that the current answer followed."""
        self.is_truncated = False
        """Whether the current answer was truncated by the limit of call depth."""

    def one_call_deeper(self, ask: Callable[[], _Answer], otherwise: _Answer) -> _Answer:
        """Return what is found one call deeper, or something else if no depth is left."""
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

    @staticmethod
    def depth_under(query: Asked) -> int:
        """Return the depth of the open query that an answer depends on, directly or through another of a cycle."""
        while query.depth < 0:
            assert query.under is not None
            query = query.under
        return query.depth

    def abandon(self) -> None:
        """Close every query, as all were answered or failed, and drop what may depend on how cycles were entered."""
        for answers in self.unsettled:
            answers.clear()
        self.unsettled.clear()
        for asked in self.tables:
            asked.clear()
        self.open.clear()
        self.trail.clear()
        self.reached = NOWHERE
        self.in_cycle = self.is_truncated = False
        self.scope = EVERY_WORLD
        self.call_depth = self.depth_used = 0

    def forget(self, mark: int) -> None:
        """Drop what was found inside a cycle since a mark, to compute it again."""
        for query in self.trail[mark:]:
            query.under = None
        del self.trail[mark:]

    def settle(self, mark: int, cycle: Cycle | None) -> None:
        """Keep what was found inside a cycle since a mark, for good if the last iteration found nothing new."""
        for query in self.trail[mark:]:
            query.keep(query, cycle)
        del self.trail[mark:]
