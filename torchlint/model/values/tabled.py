"""Make a recursive walk a query of the evaluator.

A recursive walk over calls, callers or classes reaches one place along many paths, and may have cycles. As a query it
is answered once for each place, and cycles are cut.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeAlias, TypeVar, cast

from torchlint.inference.engine.query import InOrder, as_found

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_Key = ParamSpec("_Key")
_Answer = TypeVar("_Answer")
_Walk: TypeAlias = "Callable[Concatenate[Evaluator, _Key], _Answer]"


def tabled(nothing: _Answer, in_order: InOrder = as_found) -> Callable[[_Walk[_Key, _Answer]], _Walk[_Key, _Answer]]:
    """Make a walk a query, whose value within its own cycle is `nothing`.

    Its arguments, which are passed by position, are the key: they are compared and hashed. What it finds in a cycle
    may have an order that depends on where that was entered: `in_order` undoes it.
    """

    def decorate(walk: _Walk[_Key, _Answer]) -> _Walk[_Key, _Answer]:
        @wraps(walk)
        def ask(ev: Evaluator, *key: _Key.args, **words: _Key.kwargs) -> _Answer:
            assert not words, "the arguments of a question are passed by position"
            return cast("_Answer", ev.table(walk, nothing, in_order)(key))

        return cast("_Walk[_Key, _Answer]", ask)

    return decorate
