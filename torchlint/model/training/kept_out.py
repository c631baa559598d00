"""Calls whose arguments rule out the training step inside: `losses(batch, only_return=True)`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.place import Place
from torchlint.model.training.call_paths import frame_of
from torchlint.model.training.parameter_tests import tests_of_parameters

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.values.value_sets import Frame


def is_kept_out(ev: Evaluator, chain: Sequence[Place]) -> bool:
    """Tell whether a call never reaches a step, because a test fails for the arguments of the calls on the path.

    `chain` are the call, the calls on the path, and the step.
    """
    if not any(tests_of_parameters(ev, place) for place in chain[1:]):
        return False
    frame: Frame | None = None
    for call, inside in pairwise(chain):
        frame = _frame_of(ev, call.within(frame), inside)
        if frame is None:
            return False
        for test in tests_of_parameters(ev, inside):
            if ev.truth(Place(inside.file, test.test, test.statement, frame)) is (not test.holds):
                return True
    return False


def _frame_of(ev: Evaluator, call: Place, inside: Place) -> Frame | None:
    """Return the frame of a call in the function around a place; None if the receiver may be any of several objects."""
    functions = [one for one in callees_of(ev, call) if one.scope is inside.scope]
    return frame_of(call, functions[0]) if len(functions) == 1 else None
