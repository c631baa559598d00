"""Calls of gradient scalers in a wrong order, on which the scaler raises, or loses its state.

An iteration is `scale`, `unscale_` if needed, `step` for each optimizer, and `update` once, at the end. Before that, a
second `unscale_` or `step` of an optimizer raises, and so does `update` without either.
https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from torchlint.model.calls import Call
from torchlint.model.guards.catching import is_caught, is_expected
from torchlint.pytorch.scalers import REFUSED
from torchlint.syntax.dominating_conditions import conditions_inside

from .iteration_order import ByIteration, runs_before
from .scaler_calls import Scaling, optimizer_of, scalings, when
from .scaler_iterations import not_each_iteration, not_updated
from .unused_scalers import never_scaled, stepped_directly

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

HowOrdered: TypeAlias = Literal[
    "updated first",
    "updated between",
    "unscaled twice",
    "unscaled late",
    "stepped twice",
    "each round",
    "never updated",
    "stepped directly",
    "never scaled",
]


@dataclass(frozen=True, slots=True)
class ScalerOrder:
    """A call at the wrong time, how that is wrong, and the other call."""

    how: HowOrdered
    call: Call
    other: Call


def scaler_orders(ev: Evaluator, file: ParsedFile) -> Iterator[ScalerOrder]:
    """Yield the calls of a file that come at the wrong time for their scaler, unless the exception is caught."""
    for one in scalings(ev, file):
        for found in _found(one):
            if not is_caught(found.call) and not is_expected(found.call):
                yield found


def _found(scaling: Scaling) -> Iterator[ScalerOrder]:
    """Yield the calls of one scaler at the wrong time; without a scaled loss there is no wrong order."""
    if (pair := never_scaled(scaling)) is not None:
        yield ScalerOrder("never scaled", *pair)
        return
    if (pair := stepped_directly(scaling)) is not None:
        yield ScalerOrder("stepped directly", *pair)
    yield from _refused(scaling)
    yield from _updated_first(scaling)
    yield from _updated_between(scaling)
    if (pair := not_each_iteration(scaling)) is not None:
        yield ScalerOrder("each round", *pair)
    elif (step := not_updated(scaling)) is not None:
        yield ScalerOrder("never updated", step, list(scaling.made("step"))[-1])


def _refused(scaling: Scaling) -> Iterator[ScalerOrder]:
    """Yield the calls for an optimizer that the scaler has been called for before, in the same iteration."""
    calls_for: defaultdict[str, ByIteration] = defaultdict(lambda: ByIteration(()))
    for call in scaling.made("unscale_", "step"):
        if (optimizer := optimizer_of(call)) is None:
            continue
        before = (one for one in calls_for[optimizer].before(call) if _surely_precedes(one, call))
        last = next((one for one in before if not _is_bound_between(scaling, optimizer, one, call)), None)
        calls_for[optimizer].add(call)
        how = REFUSED.get((last.method, call.method)) if last is not None else None
        if last is not None and how is not None and not scaling.is_made_between(last, call, "update"):
            yield ScalerOrder(how, call, last)


def _is_bound_between(scaling: Scaling, name: str, one: Call, other: Call) -> bool:
    bindings = scaling.scope.bindings.get(name, ())
    return any(one.line < binding.statement.lineno < other.line for binding in bindings)


def _updated_first(scaling: Scaling) -> Iterator[ScalerOrder]:
    """Yield the updates between a loss that was scaled and its step, which is the first of the function."""
    first = min(map(when, scaling.made("step")), default=None)
    for update in scaling.made("update"):
        if first is None or first < when(update):
            continue
        step = next((one for one in scaling.made("step") if _surely_precedes(update, one)), None)
        scale = next((one for one in scaling.made("scale") if _surely_precedes(one, update)), None)
        if step is None or scale is None or update.arguments or update.keywords:
            continue
        if scaling.is_made_between(scale, update, "update", "step"):
            continue
        if not scaling.is_made_between(update, step, "scale", "unscale_", "update"):
            yield ScalerOrder("updated first", update, step)


def _updated_between(scaling: Scaling) -> Iterator[ScalerOrder]:
    """Yield the updates between the steps of two optimizers: the second unscales by a scale that its loss had not.

    https://docs.pytorch.org/docs/stable/notes/amp_examples.html#working-with-multiple-models-losses-and-optimizers
    """
    for update in scaling.made("update"):
        first = next((one for one in scaling.made("step") if _surely_precedes(one, update)), None)
        if first is None or update.arguments or update.keywords:
            continue
        if (step := _step_of_another(scaling, update, first)) is not None:
            yield ScalerOrder("updated between", update, step)


def _step_of_another(scaling: Scaling, update: Call, first: Call) -> Call | None:
    """Return the step of another optimizer after an update, if nothing is scaled or updated in between."""
    after = (one for one in scaling.made("step") if _surely_precedes(update, one))
    step = next(after, None)
    if step is None or optimizer_of(step) is None or optimizer_of(step) == optimizer_of(first):
        return None
    return None if scaling.is_made_between(update, step, "scale", "update") else step


def _surely_precedes(one: Call, other: Call) -> bool:
    """Tell whether every path to a call in an iteration has made another one before."""
    parents = one.file.parents_in(one.statement)
    is_open = next(conditions_inside(one.statement, one.expression, parents), None) is not None
    return not is_open and one.statement is not other.statement and runs_before(one, other)
