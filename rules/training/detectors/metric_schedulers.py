"""Schedulers that go by a metric, and are stepped without one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.calls import Call, method_calls_of
from torchlint.model.guards.catching import is_caught, is_expected
from torchlint.model.roles import is_a
from torchlint.model.values.value_sets import Instance, Possibility
from torchlint.pytorch.roles import Role

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def steps_without_metric(ev: Evaluator, file: ParsedFile) -> Iterator[Call]:
    """Yield the calls of `step()` without a metric where the scheduler goes by one for sure, in source order."""
    for call in method_calls_of(file, frozenset({"step"})):
        if call.arguments or call.keywords or call.is_open or call.owner is None or is_caught(call):
            continue
        possible = ev.evaluate(call.owner)
        if possible and all(_wants_metric(ev, one) for one in possible) and not is_expected(call):
            yield call


def _wants_metric(ev: Evaluator, one: Possibility) -> bool:
    has_own = isinstance(one.value, Instance) and method_of(ev, one.value.kind, "step") is not None
    return is_a(ev, one.value, Role.METRIC_SCHEDULER) and not has_own
