"""One iteration of a loop: which definitions reach a place there, and in which iteration each of them ran.

The second iteration has what the first one left: `x` of `x = layer(x)` is there what `layer` returned in the first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.values.value_sets import Frame, Iterations
from torchlint.syntax.around import loops_around
from torchlint.syntax.exits import LoopNode, jumps, loops_of

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.syntax.index import Index
    from torchlint.syntax.scope import Binding

_Ran: TypeAlias = "tuple[Place, Binding]"
"""A definition, and the place that it is read from in the iteration in which it ran."""


def header_of(loop: LoopNode) -> ast.expr:
    """Return the expression that names a loop in a frame: what it iterates over, or its test."""
    return loop.test if isinstance(loop, ast.While) else loop.iter


def in_iteration(place: Place, iterable: ast.expr, number: int) -> Place:
    """Return a place in an iteration of the loop around it over `iterable`, 0 for the first one.

    For a loop of `while`, `iterable` is its test.
    """
    return _in_iterations(place, (*_others(place, iterable), (iterable, number)))


def before_loop(place: Place, iterable: ast.expr) -> Place:
    """Return a place in no certain iteration of a loop over `iterable`, as before that begins."""
    return place if number_in(place, iterable) is None else _in_iterations(place, _others(place, iterable))


def number_in(place: Place, iterable: ast.expr) -> int | None:
    """Return the number of the iteration of a loop that a place is in; None if it may be any."""
    iterations = place.frame.iterations if place.frame is not None else ()
    return next((number for one, number in iterations if one is iterable), None)


def _others(place: Place, iterable: ast.expr) -> Iterations:
    iterations = place.frame.iterations if place.frame is not None else ()
    return tuple(one for one in iterations if one[0] is not iterable)


def _in_iterations(place: Place, iterations: Iterations) -> Place:
    if place.frame is not None:
        return place.within(place.frame.iterating(iterations))
    return place.within(Frame(place.scope, None, goes_on=True, iterations=iterations))


def ran(place: Place, definitions: Sequence[Binding]) -> list[_Ran]:
    """Return the definitions that reach a place, each with the place in the iteration in which it ran."""
    found = [(place, one) for one in definitions]
    if place.frame is None or not place.frame.iterations:
        return found
    for loop in loops_around(place):
        number = number_in(place, header_of(loop))
        if number is not None:
            found = list(_in_loop(place.file.index, found, loop, number))
    return found


def _in_loop(index: Index, found: list[_Ran], loop: LoopNode, number: int) -> Iterator[_Ran]:
    left = {one for place, one in found if _is_left(index, place, one, loop)}
    is_bound_anew = number > 0 and any(_is_certain(index, one, loop) for one in left)
    for place, one in found:
        if one in left:
            if number > 0:
                yield _one_before(place, header_of(loop)), one
        elif one.statement is loop or index.is_in_body(one.statement, loop):
            yield place, one
        elif not is_bound_anew:
            yield before_loop(place, header_of(loop)), one


def _one_before(place: Place, iterable: ast.expr) -> Place:
    number = number_in(place, iterable)
    assert number
    return in_iteration(place, iterable, number - 1)


def _is_left(index: Index, place: Place, one: Binding, loop: LoopNode) -> bool:
    """Tell whether only the iteration before can have run a definition: it is below the place, in the same loop."""
    if one.statement is loop or not index.is_in_body(one.statement, loop):
        return False
    positions = dict(index.blocks_around(place.statement))
    block, position = next(pair for pair in index.blocks_around(one.statement) if pair[0] in positions)
    return position >= positions[block] and next(loops_of(index, block.body[0])) is loop


def _is_certain(index: Index, one: Binding, loop: LoopNode) -> bool:
    """Tell whether each iteration of a loop that ends runs a definition."""
    return index.home[one.statement][0].owner is loop and next(jumps(index, loop, ast.Continue), None) is None
