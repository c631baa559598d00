"""Arguments of attention that it does not read: the weight for all three projections if each has its own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.pytorch.symbols import FUNCTIONAL
from torchlint.syntax.arguments import passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_ATTENTION = f"{FUNCTIONAL}multi_head_attention_forward"
# Their positions: https://docs.pytorch.org/docs/stable/_modules/torch/nn/functional.html
_TOGETHER, _IS_SEPARATE = ("in_proj_weight", 5), ("use_separate_proj_weight", 17)


def unread(ev: Evaluator, place: Place, name: str) -> ast.expr | None:
    """Return the argument of a call, by its full name, that is a placeholder; None if each is read."""
    if name != _ATTENTION:
        return None
    is_separate = passed(place.expression, *_IS_SEPARATE)
    is_unread = is_separate is not None and ev.truth(place.at(is_separate)) is True
    return passed(place.expression, *_TOGETHER) if is_unread else None
