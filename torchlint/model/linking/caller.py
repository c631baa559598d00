"""A caller of a function, and what it passes for each parameter."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from torchlint.model.place import Place
from torchlint.model.syntax.arguments import has_open_keywords
from torchlint.model.syntax.scope import Parameter
from torchlint.model.values.frame import Frame


@dataclass(frozen=True, slots=True)
class Caller:
    """A call of a function, or a place that hands the function on to be called (`mp.spawn(train, …)`)."""

    place: Place
    positional: tuple[ast.expr, ...]
    keywords: Mapping[str, ast.expr] = field(hash=False)
    is_open: bool
    """Whether `*args` or `**kwargs` may pass anything."""
    bound: int = 0
    """How many parameters are filled before the first positional one: `self`, or the rank that `mp.spawn` passes."""
    is_complete: bool = True
    """Whether a parameter that is not passed here is not passed at all."""
    fixed: Caller | None = None
    """The `partial(…)` that passed the first arguments already."""
    is_of_user: bool = False
    """Whether it hands the function to the command line, where the user passes what he likes: `fire.Fire(train)`."""

    @classmethod
    def of_call(cls, place: Place, bound: int, fixed: Place | None = None) -> Caller:
        """Return the caller that a plain call is, of a function or of what `partial(…)` made of it."""
        call = place.expression
        assert isinstance(call, ast.Call)
        positional = tuple(call.args)
        star = next((i for i, argument in enumerate(positional) if isinstance(argument, ast.Starred)), None)
        keywords = {word.arg: word.value for word in call.keywords if word.arg is not None}
        is_open = star is not None or has_open_keywords(call)
        before = cls.of_partial(fixed, bound) if fixed is not None else None
        bound += len(before.positional) if before is not None else 0
        return cls(place, positional[:star], keywords, is_open, bound, fixed=before)

    @classmethod
    def of_partial(cls, place: Place, bound: int) -> Caller:
        """Return what `partial(function, …)` passes."""
        call = cls.of_call(place, bound)
        return replace(call, positional=call.positional[1:], is_complete=False)

    @classmethod
    def of_frame(cls, frame: Frame, call: Place) -> Caller:
        """Return the call that led into a frame."""
        caller = cls.of_call(call, 1 if frame.receiver is not None else 0, frame.fixed)
        return replace(caller, positional=caller.positional[1:]) if frame.is_given else caller

    def argument(self, parameter: Parameter) -> tuple[Place, ...] | None:
        """Return the places passed for a parameter: none where it is left to its default, None where nobody knows."""
        own = self._own_argument(parameter)
        return self.fixed.argument(parameter) or own if self.fixed is not None and not own else own

    def _own_argument(self, parameter: Parameter) -> tuple[Place, ...] | None:
        if parameter.star == "*":
            rest = self.positional[max((parameter.position or 0) - self.bound, 0) :]
            return None if self.is_open else tuple(self.place.at(one) for one in rest)
        if parameter.name in self.keywords:
            return (self.place.at(self.keywords[parameter.name]),)
        if parameter.position is not None:
            position = parameter.position - self.bound
            if 0 <= position < len(self.positional):
                return (self.place.at(self.positional[position]),)
            if position < 0:
                return None
        return None if self.is_open or parameter.star or not self.is_complete else ()
