"""Whether a place can be reached at all in a world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.conditions import Condition
from torchlint.model.place import Place
from torchlint.model.values import Tuple

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator


def may_run(ev: Evaluator, place: Place) -> bool:
    """Tell whether no test on the way to a place, within its function, comes out against it."""
    for condition in place.file.conditions_at(place.statement, place.expression):
        if isinstance(condition, Condition):
            at = Place(place.file, condition.test, condition.statement, place.frame, place.given)
            if ev.truth(at) is (not condition.holds):
                return False
        else:
            at = Place(place.file, condition.source, condition.statement, place.frame, place.given)
            if _is_empty(ev, at):
                return False
    return True


def _is_empty(ev: Evaluator, source: Place) -> bool:
    """Tell whether a loop over this has no rounds: `range(torch.cuda.device_count())` where there is no GPU."""
    values = [one.value for one in ev.evaluate(source)]
    return bool(values) and all(isinstance(value, Tuple) and not value.items for value in values)
