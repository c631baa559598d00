"""Make a recursive walk a query of the evaluator.

A recursive walk over calls, callers or classes reaches one place along many paths, and may have cycles. As a query it
is answered once for each place, and cycles are cut.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_Key = ParamSpec("_Key")
_Answer = TypeVar("_Answer")
_Walk: TypeAlias = "Callable[Concatenate[Evaluator, _Key], _Answer]"


def tabled(nothing: _Answer) -> Callable[[_Walk[_Key, _Answer]], _Walk[_Key, _Answer]]:
    """Make a walk a query, whose value within its own cycle is `nothing`.

    Its arguments, which are passed by position, are the key: they are compared and hashed.
    """

    def decorate(walk: _Walk[_Key, _Answer]) -> _Walk[_Key, _Answer]:
        @wraps(walk)
        def ask(ev: Evaluator, *key: _Key.args, **words: _Key.kwargs) -> _Answer:
            assert not words, "the arguments of a question are passed by position"
            return cast("_Answer", ev.table(walk, nothing)(key))

        return cast("_Walk[_Key, _Answer]", ask)

    return decorate
