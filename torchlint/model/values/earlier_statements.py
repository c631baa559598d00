"""Ask of the statements before a place whether one of them satisfies a predicate, without asking each for every place.

The statements before one place are before the next as well. So runs of 1, 2, 4, 8 … statements of a block are asked
about, each once: n places then take some n log n questions, and not n².
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.values.value_sets import Frame
    from torchlint.syntax.facts import Given
    from torchlint.syntax.scope import Block

Predicate: TypeAlias = "Callable[[Evaluator, Place], bool]"

_NO_EXPRESSION = ast.Constant(None)


def any_earlier(predicate: Predicate) -> Predicate:
    """Return a predicate of places: whether `predicate` holds for an earlier statement of a block around."""

    @tabled(False)
    def holds_in(
        ev: Evaluator, file: ParsedFile, block: Block, start: int, end: int, frame: Frame | None, given: Given
    ) -> bool:
        if end - start == 1:
            return predicate(ev, Place(file, _NO_EXPRESSION, block.body[start], frame, given))
        middle = (start + end) // 2
        halves = ((start, middle), (middle, end))
        return any(holds_in(ev, file, block, first, last, frame, given) for first, last in halves)

    def holds_before(ev: Evaluator, place: Place) -> bool:
        return any(
            holds_in(ev, place.file, block, start, end, place.frame, place.given)
            for block, position in place.file.index.blocks_around(place.statement)
            if position
            for start, end in runs(position)
        )

    return holds_before


def runs(length: int) -> Iterator[tuple[int, int]]:
    """Yield the starts and ends of the runs that so many statements fall into: all lengths are powers of two."""
    start = 0
    while start < length:
        size = 1 << (length - start).bit_length() - 1
        yield start, start + size
        start += size
