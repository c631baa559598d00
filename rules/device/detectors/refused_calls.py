"""Functions that no call enters, as each leaves out an argument that the function needs: a `TypeError`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Function
from torchlint.syntax.around import function_around

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Caller, Place
    from torchlint.syntax.scope import Parameter, Scope


def is_never_entered(ev: Evaluator, place: Place, origin: Place | None) -> bool:
    """Tell whether all calls of the function around a place raise first, or the one whose statement has the origin."""
    function = function_around(place)
    if function is None:
        return False
    callers = ev.callers(Function(place.file, function))
    passing = [one for one in callers if origin is not None and one.place.statement is origin.statement]
    return bool(callers) and all(_is_refused(one, function) for one in passing or callers)


def _is_refused(caller: Caller, function: Scope) -> bool:
    """Tell whether a call leaves out an argument that its function needs."""
    return any(caller.argument(one) == () for one in function.parameters if _is_needed(one))


def _is_needed(parameter: Parameter) -> bool:
    return parameter.default is None and not parameter.star
