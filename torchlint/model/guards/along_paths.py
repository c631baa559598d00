"""Ask of all conditions and loops that dominate a place, each of them once for all the places that it dominates.

What dominates one place dominates the next as well. So the early exits of a block are asked about in runs of 1, 2, 4, 8
…, and what is around a block is asked about once for all that is in it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from torchlint.model.values.earlier_statements import runs
from torchlint.model.values.tabled import tabled
from torchlint.syntax.dominating_conditions import Condition, Iteration, exits_of, head_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.values.value_sets import Frame
    from torchlint.syntax.facts import Given
    from torchlint.syntax.scope import Block

_Result = TypeVar("_Result")


class PathContext(NamedTuple):
    """The file of a place, its frame, its assumptions, and the loop in whose iteration the path starts."""

    file: ParsedFile
    frame: Frame | None
    given: Given
    loop: ast.stmt | None


ConditionQuery: TypeAlias = "Callable[[Evaluator, PathContext, Condition | Iteration], tuple[_Result, ...]]"

# Deeper blocks are the arms of a long `elif`: the blocks around them are queried from the outside in, so many at a
# time.
_DEEP = 20


class AlongPaths(Generic[_Result]):
    """The results of `query` for all conditions that dominate a place, innermost first; `most` are enough."""

    def __init__(self, query: ConditionQuery[_Result], most: int | None = None) -> None:
        self._query = query
        self._most = most
        nothing: tuple[_Result, ...] = ()
        self._of_exits = tabled(nothing)(self._results_of_exits)
        self._on_entering = tabled(nothing)(self._results_on_entering)

    def __call__(self, ev: Evaluator, place: Place, loop: ast.stmt | None = None) -> tuple[_Result, ...]:
        """Return the results for a place, within an iteration of a loop or else within its function."""
        index, context = place.file.index, PathContext(place.file, place.frame, place.given, loop)
        inside = self._all(ev, context, place.file.conditions_inside(place.statement, place.expression))
        if self._is_enough(inside):
            return inside
        around = [block for block, _ in index.blocks_around(place.statement)]
        for block in reversed(around[_DEEP::_DEEP]):
            self._on_entering(ev, context, block)
        return (*inside, *self._results_at(ev, context, *index.home[place.statement]))

    def _results_at(self, ev: Evaluator, context: PathContext, block: Block, position: int) -> tuple[_Result, ...]:
        found: tuple[_Result, ...] = ()
        before = exits_of(context.file.index, block).before(position)
        for start, end in reversed([*runs(before)]):
            found += self._of_exits(ev, context, block, start, end)
            if self._is_enough(found):
                return found
        return (*found, *self._on_entering(ev, context, block))

    def _results_of_exits(
        self, ev: Evaluator, context: PathContext, block: Block, start: int, end: int
    ) -> tuple[_Result, ...]:
        if end - start == 1:
            return self._all(ev, context, exits_of(context.file.index, block).tests[start])
        middle = (start + end) // 2
        later = self._of_exits(ev, context, block, middle, end)
        return later if self._is_enough(later) else (*later, *self._of_exits(ev, context, block, start, middle))

    def _results_on_entering(self, ev: Evaluator, context: PathContext, block: Block) -> tuple[_Result, ...]:
        if block.owner is context.loop and context.loop is not None:
            return ()
        own = self._all(ev, context, head_of(block))
        if block.outer is None or block.owner is block.scope.node or self._is_enough(own):
            return own
        return (*own, *self._results_at(ev, context, *context.file.index.home[block.outer]))

    def _all(self, ev: Evaluator, context: PathContext, guard: Iterable[Condition | Iteration]) -> tuple[_Result, ...]:
        found: tuple[_Result, ...] = ()
        for one in guard:
            found += self._query(ev, context, one)
            if self._is_enough(found):
                break
        return found

    def _is_enough(self, found: tuple[_Result, ...]) -> bool:
        return self._most is not None and len(found) >= self._most
