"""Places that run before there is a process group, where a collective raises and waits for no rank.

`args = parse()` at the top of `main`, above `mp.spawn(worker, …)` or `init_process_group(…)`, runs in one process, or
in several that cannot communicate yet, and so does all that `parse` calls. A rank among its options is the default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.call_graph.leading import function_of, leading_to
from torchlint.syntax.closure import closure
from torchlint.syntax.exits import loops_of

from .process_groups import ONLY_MAKING, MentioningAny, names_making_groups

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def runs_before_group(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place runs before what makes a process group, and on no known path after that."""
    names = ev.project.once(names_making_groups) or ONLY_MAKING
    orders: dict[Place, bool | None] = {}

    def further(one: Place) -> Iterable[Place]:
        """Return what leads to a place whose own function makes no group."""
        return leading_to(ev, one) if orders[one] is None else ()

    for one in closure(place, further):
        orders[one] = _order(ev, one, names)
        if orders[one] is False:
            return False
    return True in orders.values()


def makes_group_between(ev: Evaluator, test: Place, place: Place) -> bool:
    """Tell whether a process group is made below a test and above a place: of the ranks that the test lets through."""
    if test.scope is not place.scope:
        return False
    names = ev.project.once(names_making_groups) or ONLY_MAKING
    return any(test.line < one.lineno < place.line for one in _making(ev, place, names))


def _order(ev: Evaluator, place: Place, names: frozenset[str]) -> bool | None:
    """Tell whether a place is before all in its function that makes groups, None if nothing there does."""
    file, making = place.file, _making(ev, place, names)
    if not making:
        return None
    around = set(loops_of(file.index, place.statement))
    return all(place.line < one.lineno and around.isdisjoint(loops_of(file.index, one)) for one in making)


def _making(ev: Evaluator, place: Place, names: frozenset[str]) -> list[ast.stmt]:
    """Return the statements in the function of a place that make groups."""
    file, scope = place.file, function_of(place) or place.file.index.scope
    statements = ev.project.once(MentioningAny(file.location, names))
    return [one for one in statements if file.index.home[one][0].scope is scope]
