"""Which of two places a program comes to first, each perhaps in a function that is called on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.syntax.exits import loops_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_NO_WAYS: tuple[Place, ...] = ()


@tabled(_NO_WAYS)
def ways_to(ev: Evaluator, place: Place) -> tuple[Place, ...]:
    """Return a place, and the calls that lead to it, those further out later."""
    callers = ev.callers(Function(place.file, place.scope)) if place.scope.kind == "function" else ()
    if len(callers) > MOST_CALLERS:
        return (place,)
    further = [ways_to(ev, one.place) for one in callers]
    inner = [one for way in further for one in way[:1]]
    return tuple(dict.fromkeys((place, *inner, *(one for way in further for one in way[1:]))))


def pairs_in_one_function(ev: Evaluator, one: Place, other: Place) -> Iterator[tuple[Place, Place]]:
    """Yield how two places are come to in the innermost function that comes to both, by different statements."""
    ways = ways_to(ev, other)
    for here in ways_to(ev, one):
        found = [there for there in ways if there.scope is here.scope and there.statement is not here.statement]
        if found:
            yield from ((here, there) for there in found)
            return


def may_follow(ev: Evaluator, one: Place, other: Place) -> bool:
    """Tell whether a program may come to `other` after it was at `one`: below it, or in a later iteration."""
    return any(_is_below(*pair) or _share_loop(*pair) for pair in pairs_in_one_function(ev, one, other))


def precedes(ev: Evaluator, one: Place, other: Place) -> bool:
    """Tell whether `one` stands above `other` in the function that comes to both, and one run may come to both."""
    return any(_is_below(*pair) for pair in pairs_in_one_function(ev, one, other))


def _is_below(one: Place, other: Place) -> bool:
    return other.line > one.line and not exclude_each_other(one, other)


def _share_loop(one: Place, other: Place) -> bool:
    loops = list(loops_of(one.file.index, one.statement))
    return any(loop in loops for loop in loops_of(other.file.index, other.statement))
