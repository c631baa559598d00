"""Schedulers that need a metric, and are stepped without one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.model.guards.catching import is_tried
from torchlint.model.roles import plays_plainly
from torchlint.pytorch.roles import Role

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def steps_without_metric(ev: Evaluator, file: ParsedFile) -> Iterator[Call]:
    """Yield the calls of `step()` without a metric on a scheduler that surely needs one, in source order."""
    for call in method_calls_of(file, frozenset({"step"})):
        if call.arguments or call.keywords or call.is_open or call.owner is None or is_tried(call):
            continue
        possible = ev.evaluate(call.owner)
        if possible and all(plays_plainly(ev, one.value, Role.METRIC_SCHEDULER, "step") for one in possible):
            yield call
