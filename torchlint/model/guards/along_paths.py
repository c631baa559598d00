"""Ask of all conditions and loops that dominate a place, each of them once for all the places that it dominates.

What dominates one place dominates the next as well. So the early exits of a block, and the tests of a chain of `elif`s,
are asked about in runs of 1, 2, 4, 8 …, and what is around a block is asked about once for all that is in it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from torchlint.model.values.earlier_statements import runs
from torchlint.model.values.tabled import tabled
from torchlint.syntax.dominating_conditions import Condition, Iteration, exits_of, head_of
from torchlint.syntax.elif_chains import blocks_around_chains, chain_around

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.values.value_sets import Frame
    from torchlint.syntax.facts import Given
    from torchlint.syntax.index import Index
    from torchlint.syntax.scope import Block

_Result = TypeVar("_Result")


class PathContext(NamedTuple):
    """The file of a place, its frame, its assumptions, and the loop in whose iteration the path starts."""

    file: ParsedFile
    frame: Frame | None
    given: Given
    loop: ast.stmt | None


ConditionQuery: TypeAlias = "Callable[[Evaluator, PathContext, Condition | Iteration], tuple[_Result, ...]]"

# Of deeply nested blocks, those around are queried from the outside in, so many at a time.
_DEEP = 20


class AlongPaths(Generic[_Result]):
    """The results of `query` for all conditions that dominate a place, innermost first; `most` are enough."""

    def __init__(self, query: ConditionQuery[_Result], most: int | None = None) -> None:
        self._query = query
        self._most = most
        nothing: tuple[_Result, ...] = ()
        self._of_run = tabled(nothing)(self._results_of_run)
        self._on_entering = tabled(nothing)(self._results_on_entering)

    def __call__(self, ev: Evaluator, place: Place, loop: ast.stmt | None = None) -> tuple[_Result, ...]:
        """Return the results for a place, within an iteration of a loop or else within its function."""
        index, context = place.file.index, PathContext(place.file, place.frame, place.given, loop)
        inside = self._all(ev, context, place.file.conditions_inside(place.statement, place.expression))
        if self._is_enough(inside):
            return inside
        around = [block for block, _ in blocks_around_chains(index, place.statement)]
        for block in reversed(around[_DEEP::_DEEP]):
            self._on_entering(ev, context, block)
        return (*inside, *self._results_at(ev, context, place.statement))

    def _results_at(self, ev: Evaluator, context: PathContext, statement: ast.stmt) -> tuple[_Result, ...]:
        index = context.file.index
        block, position = index.home[statement]
        if block.arm == "orelse" and (found := chain_around(index, block)) is not None:
            chain, position = found
            tests = self._results_of_first(ev, context, chain[0], position)
            return tests if self._is_enough(tests) else (*tests, *self._results_at(ev, context, chain[0]))
        exits = exits_of(index, block).before(position) if position else 0
        past = self._results_of_first(ev, context, block, exits)
        return past if self._is_enough(past) else (*past, *self._on_entering(ev, context, block))

    def _results_of_first(
        self, ev: Evaluator, context: PathContext, row: Block | ast.If, count: int
    ) -> tuple[_Result, ...]:
        """Return the results of the first exits of a block, or tests of a chain, in reverse order."""
        found: tuple[_Result, ...] = ()
        for start, end in reversed([*runs(count)]) if count else ():
            found += self._of_run(ev, context, row, start, end)
            if self._is_enough(found):
                break
        return found

    def _results_of_run(
        self, ev: Evaluator, context: PathContext, row: Block | ast.If, start: int, end: int
    ) -> tuple[_Result, ...]:
        if end - start == 1:
            return self._all(ev, context, _conditions_in(context.file.index, row, start))
        middle = (start + end) // 2
        later = self._of_run(ev, context, row, middle, end)
        return later if self._is_enough(later) else (*later, *self._of_run(ev, context, row, start, middle))

    def _results_on_entering(self, ev: Evaluator, context: PathContext, block: Block) -> tuple[_Result, ...]:
        if block.owner is context.loop and context.loop is not None:
            return ()
        own = self._all(ev, context, head_of(block))
        if block.outer is None or block.owner is block.scope.node or self._is_enough(own):
            return own
        return (*own, *self._results_at(ev, context, block.outer))

    def _all(self, ev: Evaluator, context: PathContext, guard: Iterable[Condition | Iteration]) -> tuple[_Result, ...]:
        found: tuple[_Result, ...] = ()
        for one in guard:
            found += self._query(ev, context, one)
            if self._is_enough(found):
                break
        return found

    def _is_enough(self, found: tuple[_Result, ...]) -> bool:
        return self._most is not None and len(found) >= self._most


def _conditions_in(index: Index, row: Block | ast.If, at: int) -> Iterable[Condition | Iteration]:
    """Return the conditions past an early exit of a block, or past the test of an `if` in a chain."""
    if isinstance(row, ast.If):
        one = index.chains[row][0][at]
        return (Condition(one.test, False, one),)
    return exits_of(index, row).tests[at]
