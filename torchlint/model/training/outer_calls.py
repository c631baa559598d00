"""The call paths to a training step, from callers further out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.inference.limits import FAR
from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.call_graph.lookups_by_text import called_by_text
from torchlint.model.call_graph.named_calls import callers_by_name
from torchlint.model.place import Place
from torchlint.model.training.kept_out import is_kept_out
from torchlint.model.values.value_sets import Function

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Scope

Chain: TypeAlias = "tuple[Place, ...]"
"""A call that leads to a training step, the calls on the path, and the step itself."""


def further_out(ev: Evaluator, chain: Chain, seen: set[Scope]) -> Iterator[Chain]:
    """Yield the call paths to a step by the callers of a function that was not visited yet."""
    scope = chain[0].scope
    if scope.kind == "function" and scope not in seen and len(chain) <= FAR:
        seen.add(scope)
        longer = ((*way, *chain) for way in calls_of(ev, Function(chain[0].file, scope)))
        yield from (one for one in longer if not is_kept_out(ev, one))


def calls_of(ev: Evaluator, function: Function) -> list[Chain]:
    """Return the calls of a function, as call paths to it."""
    callers = (*ev.callers(function), *object_callers_of(ev, function))
    calls = [*((caller.place,) for caller in callers), *callers_by_name(ev, function)]
    return calls or [(call,) for call in called_by_text(ev, function)]
