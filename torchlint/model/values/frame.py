"""By which calls we came to a place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.syntax.giving_back import gives_back

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.model.syntax.scope import Scope
    from torchlint.model.values.possible import Function, Possibility

Given: TypeAlias = "frozenset[tuple[str, bool]]"
NOTHING_GIVEN: Given = frozenset()


class Frame:
    """One call on the way to a place: inside `function`, a lambda included, parameters stand for what `call` passes.

    Where all calls on one receiver are alike, `call` is None: parameters stand for what any caller passes. Where the
    receiver itself is given (`is_given`), they stand for what is passed behind it: `scaler.step(optimizer, closure)`.
    A call that goes on with what the one around it began (`goes_on`), as `super().__init__()` does, leads no deeper.
    """

    __slots__ = ("_hash", "call", "depth", "fixed", "function", "goes_on", "is_given", "receiver")

    def __init__(
        self,
        function: Scope | ast.Lambda,
        call: Place | None,
        receiver: Possibility | None = None,
        fixed: Place | None = None,
        *,
        is_given: bool = False,
        goes_on: bool = False,
    ) -> None:
        self.function = function
        self.call = call
        self.receiver = receiver
        self.fixed = fixed
        self.is_given = is_given
        self.goes_on = goes_on
        self.depth: int = (0 if goes_on else 1) + (self.outer.depth if self.outer else 0)
        self._hash = hash((id(function), call, receiver))

    @property
    def outer(self) -> Frame | None:
        """Return the frame in which the call was made."""
        return self.call.frame if self.call is not None else None

    def called_in(self, outer: Frame | None) -> Frame:
        """Return the same, with the call made in a frame."""
        call = self.call.within(outer) if self.call is not None else None
        return Frame(self.function, call, self.receiver, self.fixed, is_given=self.is_given, goes_on=self.goes_on)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Frame)
            and self.function is other.function
            and self.call == other.call
            and self.receiver == other.receiver
            and self.fixed == other.fixed
        )


def frame_into(place: Place, function: Scope) -> Frame | None:
    """Return the call that led into a function on the way to a place inside it, None where any may have."""
    frame = place.frame
    while frame is not None and frame.function is not function:
        frame = frame.outer
    return frame


def frame_for(place: Place, function: Function, most: int) -> Frame | None:
    """Return the frame of a call to a function, or None where calls are already too deep, or run in a circle.

    A function that gives back what it is given leads no deeper: what that is shows at the call alone.
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
