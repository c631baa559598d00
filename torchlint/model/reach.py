"""Whether a place can be reached at all in a world."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.arguments import passed
from torchlint.model.conditions import Condition
from torchlint.model.index import callee_name
from torchlint.model.place import Place
from torchlint.model.values import Tuple

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator

# Both take `fn, args, nprocs`: https://docs.pytorch.org/docs/stable/multiprocessing.html#spawning-subprocesses
_SPAWNING = frozenset({"spawn", "start_processes"})


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


def starts_nothing(ev: Evaluator, place: Place) -> bool:
    """Tell whether a call is `mp.spawn(train, nprocs=0)`, which comes back at once and never calls `train`."""
    call = place.expression
    if not isinstance(call, ast.Call) or callee_name(call) not in _SPAWNING:
        return False
    count = passed(call, "nprocs", 2)
    return count is not None and ev.truth(place.at(count)) is False


def _is_empty(ev: Evaluator, source: Place) -> bool:
    """Tell whether a loop over this has no rounds: `range(torch.cuda.device_count())` where there is no GPU."""
    values = [one.value for one in ev.evaluate(source)]
    return bool(values) and all(isinstance(value, Tuple) and not value.items for value in values)
