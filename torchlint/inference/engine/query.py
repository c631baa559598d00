"""Tabled queries: each is answered once, and cycles between them are iterated to a fixpoint.

A query that is asked while it is being answered returns its provisional value: what was found for it so far, at first
bottom. Once there is an answer, all that used the smaller value is computed again, until nothing changes. What is found
inside a cycle is kept while the cycle is open, and for good if the last iteration found nothing new. If the iterations
ended before, it is kept until the stack is abandoned: it may depend on where the cycle was entered, and answers that
must not depend on the order of queries discard it in between.

How far calls are followed is limited by their depth: from a parameter to its callers, from a function to its callers,
from a call to what it returns. An answer that took some depth is used where as much is left, and one that was truncated
where exactly as much is left: so it makes no difference which queries were asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, cast

from torchlint.inference.engine.stack import EVERY_WORLD, NOWHERE, ONE_WORLD, Asked, Cycle, QueryStack
from torchlint.inference.limits import CALL_STRING_LIMIT, QUERY_DEPTH
from torchlint.project.dependencies import MemoEntry, Table, chain, chained

_Key = TypeVar("_Key", bound=Hashable)
_Answer = TypeVar("_Answer")
Memo: TypeAlias = "Table[_Key, _Answer]"
"""Answers by their keys, those of all worlds chained."""

InOrder: TypeAlias = "Callable[[Any], tuple[Any, bool]]"
"""Returns an answer in canonical order, and whether it is whole."""


def as_found(answer: _Answer) -> tuple[_Answer, bool]:
    """Return an answer that has no order."""
    return answer, True


# Values gain little after the second iteration, and truths may oscillate for ever.
MAX_ITERATIONS = 4


class Query(Generic[_Key, _Answer]):
    """One kind of query, with its memo, which may be that of other evaluators, too.

    `parts` are the numbers of what an answer of each scope read of its world, by the bits of scopes.
    """

    def __init__(
        self,
        stack: QueryStack,
        answer: Callable[[_Key], _Answer],
        bottom: _Answer,
        memo: Memo[_Key, _Answer] | None = None,
        parts: Sequence[int] = range(ONE_WORLD + 1),
        call_depth: int = 0,
        top: _Answer | None = None,
        in_order: Callable[[_Answer], tuple[_Answer, bool]] = as_found,
    ) -> None:
        self._stack = stack
        self._answer = answer
        self._bottom = bottom
        self._call_depth = call_depth
        self._in_order = in_order
        self._top = bottom if top is None else top
        self._memo: Memo[_Key, _Answer] = stack.dependencies.table() if memo is None else memo
        self._parts = parts
        self._scopes = {part: scope for scope, part in enumerate(parts)}
        # The state of a query is looked up once by its key: to hash one takes longer than to read an attribute.
        self._asked: dict[_Key, Asked] = {}
        stack.tables.append(self._asked)
        # Provisional answers are discarded before their dependencies could be asked for.
        self._provisional: dict[_Key, _Answer] = {}

    def __call__(self, key: _Key) -> _Answer:
        """Return the answer for a key."""
        stack = self._stack
        stack.steps.take()
        left = CALL_STRING_LIMIT - stack.call_depth
        kept = self._memo.get(key)
        while kept is not None:
            is_enough = kept.call_depth <= left if kept.left is None else kept.left == left
            if is_enough and (scope := self._scopes.get(kept.part)) is not None:
                return self._recalled(kept, scope)
            kept = kept.next
        if self._provisional and key in self._provisional:
            stack.in_cycle, stack.scope = True, ONE_WORLD
            return self._provisional[key]
        if (asked := self._asked.get(key)) is not None:
            if asked.depth >= 0:
                stack.reached = min(stack.reached, asked.depth)
                asked.is_leaned_on = True
                return cast("_Answer", asked.provisional)
            if asked.under is not None:
                stack.reached = min(stack.reached, stack.depth_under(asked.under))
                return cast("_Answer", asked.found)
        if self._call_depth > left:
            stack.is_truncated = True
            return self._top
        if len(stack.open) >= QUERY_DEPTH:
            stack.in_cycle, stack.scope = True, ONE_WORLD
            return self._bottom
        if asked is None:
            asked = self._asked[key] = Asked(self._settle, key, self._bottom)
        return self._open(key, asked)

    def _recalled(self, kept: MemoEntry[_Answer], scope: int) -> _Answer:
        """Return an answer that is kept; what asks depends on the same things."""
        stack = self._stack
        stack.scope |= scope
        if kept.left is not None:
            stack.is_truncated = True
        if kept.call_depth > stack.depth_used:
            stack.depth_used = kept.call_depth
        stack.dependencies.current |= kept.depends_on
        return kept.answer

    def _open(self, key: _Key, query: Asked) -> _Answer:
        """Answer a query, iterating its cycle to a fixpoint, and keep the answer in the memo that it belongs to."""
        stack = self._stack
        depth = query.depth = len(stack.open)
        stack.open.append(query)
        outer, mark = stack.reached, len(stack.trail)
        before = (stack.in_cycle, stack.scope, stack.is_truncated, stack.depth_used)
        stack.in_cycle = stack.is_truncated = False
        stack.scope, stack.depth_used = EVERY_WORLD, 0
        stack.call_depth += self._call_depth
        asked_before, stack.dependencies.current = stack.dependencies.current, 0
        try:
            found, is_new = self._iterate_to_fixpoint(key, query, depth, mark)
        finally:
            depends_on = stack.dependencies.since(asked_before)
            stack.call_depth -= self._call_depth
            query.depth = -1
            stack.open.pop()
            reached, stack.reached = stack.reached, min(outer, stack.reached)
            own = (stack.in_cycle, stack.scope, stack.is_truncated, stack.depth_used + self._call_depth)
            stack.in_cycle, stack.scope = before[0] or own[0], before[1] | own[1]
            stack.is_truncated, stack.depth_used = before[2] or own[2], max(before[3], own[3])
        if reached < depth:
            query.found, query.under, query.call_depth = found, stack.open[reached], stack.call_depth
            stack.trail.append(query)
            return found
        stack.reached = outer
        in_cycle, scope, is_truncated, depth_used = own
        in_cycle |= reached == depth and is_new
        if mark < len(stack.trail):
            cycle = None if in_cycle else Cycle(scope, is_truncated, depends_on, depth_used, stack.call_depth)
            stack.settle(mark, cycle)
        self._asked.pop(key, None)
        if in_cycle:
            stack.in_cycle = True
            self._keep_provisionally(key, found)
        else:
            left = CALL_STRING_LIMIT - stack.call_depth if is_truncated else None
            self._keep(key, MemoEntry(found, depends_on, depth_used, self._parts[scope], left))
        return found

    def _iterate_to_fixpoint(self, key: _Key, query: Asked, depth: int, mark: int) -> tuple[_Answer, bool]:
        """Return an answer, and whether another iteration might change it."""
        stack = self._stack
        found, outer, is_new, is_whole = self._bottom, stack.is_new, False, True
        for _ in range(MAX_ITERATIONS):
            if mark < len(stack.trail):
                stack.forget(mark)
            query.is_leaned_on = False
            stack.reached, stack.is_new = NOWHERE, False
            found = self._answer(key)
            if stack.reached > depth:
                is_new = False
                break
            found, is_whole = self._in_order(found)
            before, query.provisional = query.provisional, found
            is_new = stack.is_new or (query.is_leaned_on and before != found)
            # Only the head of a cycle, its outermost query, iterates; the others are iterated with it.
            if stack.reached < depth or not is_new:
                break
        stack.is_new = outer or is_new
        return found, is_new or (stack.reached == depth and not is_whole)

    def _settle(self, query: Asked, cycle: Cycle | None) -> None:
        """Keep an answer that was found in a cycle, for good if it does not depend on where the cycle was entered."""
        key, answer, call_depth = query.key, query.found, query.call_depth
        self._asked.pop(key, None)
        found, is_whole = self._in_order(answer)
        if cycle is None or cycle.call_depth != call_depth or not is_whole:
            self._keep_provisionally(key, answer)
        else:
            left = CALL_STRING_LIMIT - call_depth if cycle.is_truncated else None
            self._keep(key, MemoEntry(found, cycle.depends_on, cycle.depth_used, self._parts[cycle.scope], left))

    def _keep(self, key: _Key, found: MemoEntry[_Answer]) -> None:
        """Keep an answer for good, in place of one that is for the same worlds and call depth."""
        before = self._memo.setdefault(key, found)
        if before is not found:
            others = [one for one in chained(before) if (one.part, one.left) != (found.part, found.left)]
            found.next = chain(others)
            self._memo[key] = found

    def _keep_provisionally(self, key: _Key, answer: _Answer) -> None:
        """Keep an answer until the stack is abandoned: nearly all queries have none, and the stack knows which do."""
        if not self._provisional:
            self._stack.unsettled.append(self._provisional)
        self._provisional[key] = answer
