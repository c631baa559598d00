"""Keep answers, and settle circles between questions: `x = f(x)` in a loop, functions that call each other.

A question that is asked while it is being answered gets what was found for it so far, at first nothing. Once its
answer is there, everything that made use of less is asked again, until nothing new comes up. What was found inside a
circle is kept for as long as the circle is open, and for good where nothing new came up in the end. Where the rounds
ended before, it is kept until `forget_circles`: it may depend on where the circle was entered, so whoever wants the
same answers in any order forgets it in between.

How far an answer is looked for is told by *hops*: from a parameter to its callers, from a function to those who call
it, from a call to what it returns. An answer that took some hops is used where as many are left, and one that was cut
for want of hops where exactly as many are: so it makes no difference which of them were asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeAlias, TypeVar, cast

from torchlint.model.asked import Kept
from torchlint.model.values.open_questions import DEEPEST, MOST_HOPS, NOWHERE, Circle, OpenQuestions

_Key = TypeVar("_Key", bound=Hashable)
_Answer = TypeVar("_Answer")
Answered: TypeAlias = "dict[_Key | tuple[_Key, int], Kept[_Answer]]"
"""Answers by their questions; under a question with the hops that were left are those that were cut."""

# Values gain little after the second round, and truths might go back and forth for ever.
_MOST_ROUNDS = 4


class Answers(Generic[_Key, _Answer]):
    """The answers to one kind of question; those that are the same in every world are shared among all."""

    def __init__(
        self,
        kind: Hashable,
        questions: OpenQuestions,
        answer: Callable[[_Key], _Answer],
        nothing: _Answer,
        everywhere: Answered[_Key, _Answer] | None = None,
        hops: int = 0,
        beyond: _Answer | None = None,
        in_order: Callable[[_Answer], tuple[_Answer, bool]] = lambda answer: (answer, True),
    ) -> None:
        self._kind = kind
        self._questions = questions
        self._answer = answer
        self._nothing = nothing
        self._hops = hops
        self._in_order = in_order
        self._beyond = nothing if beyond is None else beyond
        # What is found in a circle is forgotten before anybody could ask what it rests on.
        self._everywhere: Answered[_Key, _Answer] = {} if everywhere is None else everywhere
        self._known: Answered[_Key, _Answer] = {}
        self._settled: dict[_Key, _Answer] = {}

    def forget_circles(self) -> None:
        """Drop every answer that was found in a circle, or with the help of such a one."""
        self._settled.clear()

    def kept(self, key: _Key) -> tuple[int, bool, bool] | None:
        """Return how an answer is kept: the hops that it took, whether it was cut, and is of this world only."""
        for answers, of_world in ((self._everywhere, False), (self._known, True)):
            for is_cut in (False, True):
                left = MOST_HOPS - self._questions.hops
                found = answers.get((key, left) if is_cut else key)
                if found is not None and found.hops <= left:
                    return found.hops, is_cut, of_world
        return None

    def __len__(self) -> int:
        """Return how many answers are kept."""
        return len(self._known) + len(self._settled)

    def forget(self) -> None:
        """Drop every answer."""
        self._known.clear()
        self._settled.clear()

    def __call__(self, key: _Key) -> _Answer:
        """Return the answer to a question."""
        questions = self._questions
        questions.steps.take()
        left = MOST_HOPS - questions.hops
        if (kept := self._everywhere.get(key)) is None and (kept := self._known.get(key)) is not None:
            questions.of_world = True
        if kept is not None and kept.hops <= left:
            if kept.hops > questions.taken:
                questions.taken = kept.hops
            questions.asked.so_far |= kept.rests_on
            return kept.answer
        if (kept := self._cut(key, left)) is not None:
            questions.asked.so_far |= kept.rests_on
            return kept.answer
        if key in self._settled:
            questions.in_circle = questions.of_world = True
            return self._settled[key]
        question = (self._kind, key)
        if (depth := questions.depth_of.get(question)) is not None:
            questions.reached = min(questions.reached, depth)
            questions.leaned_on.add(question)
            return cast("_Answer", questions.so_far.get(question, self._nothing))
        if (inside := questions.inside.get(question)) is not None:
            questions.reached = min(questions.reached, questions.depth_under(inside[1]))
            return cast("_Answer", inside[0])
        if self._hops > left:
            questions.is_cut = True
            return self._beyond
        if len(questions.depth_of) >= DEEPEST:
            questions.in_circle = questions.of_world = True
            return self._nothing
        return self._open(key, question)

    def _cut(self, key: _Key, left: int) -> Kept[_Answer] | None:
        """Return the answer that there is with as many hops as are left."""
        questions = self._questions
        if (kept := self._everywhere.get((key, left))) is None:
            if (kept := self._known.get((key, left))) is None:
                return None
            questions.of_world = True
        questions.is_cut = True
        questions.taken = max(questions.taken, kept.hops)
        return kept

    def _open(self, key: _Key, question: Hashable) -> _Answer:
        """Answer a question, in as many rounds as its circle takes, and keep the answer where it belongs."""
        questions = self._questions
        depth = questions.depth_of[question] = len(questions.depth_of)
        questions.open.append(question)
        outer, mark = questions.reached, len(questions.trail)
        before = (questions.in_circle, questions.of_world, questions.is_cut, questions.taken)
        questions.in_circle = questions.of_world = questions.is_cut = False
        questions.taken = 0
        questions.hops += self._hops
        asked_before, questions.asked.so_far = questions.asked.so_far, 0
        try:
            found, is_new = self._in_rounds(key, question, depth, mark)
        finally:
            rests_on = questions.asked.since(asked_before)
            questions.hops -= self._hops
            del questions.depth_of[question]
            questions.open.pop()
            reached, questions.reached = questions.reached, min(outer, questions.reached)
            own = (questions.in_circle, questions.of_world, questions.is_cut, questions.taken + self._hops)
            questions.in_circle, questions.of_world = before[0] or own[0], before[1] or own[1]
            questions.is_cut, questions.taken = before[2] or own[2], max(before[3], own[3])
        if reached < depth:
            questions.inside[question] = (found, questions.open[reached])
            hops = questions.hops
            questions.trail.append((question, lambda answer, circle: self._settle(key, answer, hops, circle)))
            return found
        questions.reached = outer
        in_circle, of_world, is_cut, taken = own
        in_circle |= reached == depth and is_new
        circle = None if in_circle else Circle(of_world, is_cut, rests_on, taken, questions.hops)
        questions.settle(mark, circle)
        questions.so_far.pop(question, None)
        if in_circle:
            questions.in_circle = True
            self._settled[key] = found
        else:
            kept = self._known if of_world else self._everywhere
            kept[(key, MOST_HOPS - questions.hops) if is_cut else key] = Kept(found, rests_on, taken)
        return found

    def _in_rounds(self, key: _Key, question: Hashable, depth: int, mark: int) -> tuple[_Answer, bool]:
        """Return an answer, and whether another round might bring something new."""
        questions = self._questions
        found, outer, is_new, is_whole = self._nothing, questions.is_new, False, True
        for _ in range(_MOST_ROUNDS):
            questions.forget(mark)
            questions.leaned_on.discard(question)
            questions.reached, questions.is_new = NOWHERE, False
            found = self._answer(key)
            if questions.reached > depth:
                is_new = False
                break
            found, is_whole = self._in_order(found)
            before = questions.so_far.get(question, self._nothing)
            questions.so_far[question] = found
            is_new = questions.is_new or (question in questions.leaned_on and before != found)
            # Only the outermost question of a circle goes round; it takes all others along.
            if questions.reached < depth or not is_new:
                break
        questions.is_new = outer or is_new
        return found, is_new or (questions.reached == depth and not is_whole)

    def _settle(self, key: _Key, answer: object, hops: int, circle: Circle | None) -> None:
        """Keep an answer that was found in a circle, for good where it is the same wherever that was entered."""
        found, is_whole = self._in_order(cast("_Answer", answer))
        if circle is None or circle.hops != hops or not is_whole:
            self._settled[key] = cast("_Answer", answer)
        else:
            kept = self._known if circle.of_world else self._everywhere
            kept[(key, MOST_HOPS - hops) if circle.is_cut else key] = Kept(found, circle.rests_on, circle.taken)
