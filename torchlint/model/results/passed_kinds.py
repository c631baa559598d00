"""What `isinstance` returns for a parameter, in the frame of a call whose argument is known."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.values.kinds import is_any
from torchlint.model.values.value_sets import Instance, Possibility

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def is_passed_as(ev: Evaluator, place: Place, subject: ast.expr, kinds: ast.expr) -> bool | None:
    """Tell whether what one call passes is of a class: `isinstance(module, nn.DataParallel)` of a bare module."""
    if not _is_passed(place, subject):
        return None
    possible = ev.evaluate(place.at(subject))
    outcomes = {is_any(ev, one, place.at(kinds)) if _is_of_known_class(one) else None for one in possible}
    return outcomes.pop() if len(outcomes) == 1 else None


def _is_passed(place: Place, subject: ast.expr) -> bool:
    frame = place.frame
    if frame is None or frame.call is None or frame.function is not place.scope or not isinstance(subject, ast.Name):
        return False
    return any(subject.id == parameter.name for parameter in place.scope.parameters)


def _is_of_known_class(one: Possibility) -> bool:
    """Tell whether something is of no subclass of what it is known as, which `self` may be."""
    if not isinstance(one.value, Instance):
        return True
    return one.origin is not None and isinstance(one.origin.expression, ast.Call)
