"""Which call a function is entered by: the frame of one that is made, and that of one on the path to a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Frame
from torchlint.syntax.giving_back import gives_back

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.model.values.value_sets import Function
    from torchlint.syntax.scope import Scope


def frame_into(place: Place, function: Scope) -> Frame | None:
    """Return the frame of a function among those of a place, None if any call may have led there."""
    frame = place.frame
    while frame is not None and frame.function is not function:
        frame = frame.outer
    return frame


def frame_for(place: Place, function: Function, most: int) -> Frame | None:
    """Return the frame of a call to a function, or None if calls are already too deep, or recursive.

    A function that returns its argument adds no depth: its value shows at the call alone.
    """
    outer = place.frame
    while outer is not None:
        if outer.function is function.scope:
            return None
        outer = outer.outer
    is_too_deep = place.frame is not None and place.frame.depth >= most
    if is_too_deep and not gives_back(function.scope):
        return None
    is_alike = len(function.scope.parameters) == (1 if function.receiver is not None else 0)
    call = None if is_alike else place
    return Frame(
        function.scope, call, function.receiver, function.fixed, is_given=function.is_given, goes_on=is_too_deep
    )
