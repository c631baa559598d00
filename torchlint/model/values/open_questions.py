"""The questions that are being answered: how deep they lie, how far they have come, and which circles are open."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

from torchlint.model.asked import Asked
from torchlint.steps import Steps

_Answer = TypeVar("_Answer")

# A chain this long is no program that anybody wrote; it is cut before Python's own stack ends.
DEEPEST = 100
NOWHERE = DEEPEST + 1
"""The depth of no question at all."""
# What a value was so many calls ago nobody follows who reads a finding.
MOST_HOPS = 4


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle in which nothing new came up in the end: what all answers in it have in common."""

    of_world: bool
    is_cut: bool
    rests_on: int
    taken: int
    hops: int
    """The hops on the way to the question by which it was entered."""


class OpenQuestions:
    """The questions that are being answered, shared by all kinds of questions of one evaluator."""

    def __init__(self, asked: Asked, steps: Steps) -> None:
        self.asked = asked
        self.steps = steps
        self.depth_of: dict[Hashable, int] = {}
        self.so_far: dict[Hashable, object] = {}
        """What open questions were found to be in an earlier round."""
        self.leaned_on: set[Hashable] = set()
        """Open questions that somebody took what was found so far of: where that changes, he has to ask again."""
        self.open: list[Hashable] = []
        """The same questions, outermost first."""
        self.inside: dict[Hashable, tuple[object, Hashable]] = {}
        """Answers found inside circles that are still open, with the outermost question they rested on when found."""
        self.trail: list[tuple[Hashable, Callable[[object, Circle | None], None]]] = []
        """The keys of `inside` in the order of their making, each with what keeps its answer for good."""
        self.reached = NOWHERE
        """The depth of the outermost open question that the answer in the making has made use of."""
        self.in_circle = False
        """Whether the answer in the making rests on one that was found in a circle."""
        self.of_world = False
        """Whether the answer in the making rests on what the machine has, or on which options were given."""
        self.is_new = False
        """Whether something new came up in this round of a circle."""
        self.hops = 0
        """The hops on the way to the question that is being answered."""
        self.taken = 0
        """The hops from there that the answer in the making took."""
        self.is_cut = False
        """Whether hops were wanting for the answer in the making."""

    def further(self, ask: Callable[[], _Answer], otherwise: _Answer) -> _Answer:
        """Return what is found one hop further, or something else where none is left."""
        if self.hops >= MOST_HOPS:
            self.is_cut = True
            return otherwise
        outer, self.taken = self.taken, 0
        self.hops += 1
        try:
            return ask()
        finally:
            self.hops -= 1
            self.taken = max(outer, self.taken + 1)

    def depth_under(self, question: Hashable) -> int:
        """Return the depth of a question that an answer rests on, or of the one that this in turn was found to."""
        while (depth := self.depth_of.get(question)) is None:
            question = self.inside[question][1]
        return depth

    def abandon(self) -> None:
        """Leave no question open: whoever asked has answered or has failed."""
        self.depth_of.clear()
        self.open.clear()
        self.so_far.clear()
        self.leaned_on.clear()
        self.inside.clear()
        self.trail.clear()
        self.reached = NOWHERE
        self.in_circle = self.of_world = self.is_cut = False
        self.hops = self.taken = 0

    def forget(self, mark: int) -> None:
        """Drop what was found inside a circle since a mark, to ask it again."""
        for question, _ in self.trail[mark:]:
            self.inside.pop(question, None)
        del self.trail[mark:]

    def settle(self, mark: int, circle: Circle | None) -> None:
        """Keep what was found inside a circle since a mark, for good if nothing new came up in the end."""
        for question, keep in self.trail[mark:]:
            self.so_far.pop(question, None)
            if (found := self.inside.pop(question, None)) is not None:
                keep(found[0], circle)
        del self.trail[mark:]
