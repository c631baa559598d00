"""Texts that are put together from known parts."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.values import Literal, Text

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator
    from torchlint.model.place import Place

_LONGEST = 200


def filled_in(ev: Evaluator, call: Place, text: str) -> Literal | Text:
    """Return what `text.format(…)` gives: all of it where everything is known, else how it begins."""
    assert isinstance(call.expression, ast.Call)
    first, *others = text.split("{}")
    parts = [_only_constant(ev, call.at(argument)) for argument in call.expression.args]
    is_plain = "{" not in first.join(others) and len(parts) == len(others) and not call.expression.keywords
    filled = first
    for part, other in zip(parts, others, strict=False):
        if part is None:
            is_plain = False
        filled += f"{part}{other}"
    return Literal(filled) if is_plain and len(filled) < _LONGEST else Text(text.partition("{")[0])


def _only_constant(ev: Evaluator, place: Place) -> str | None:
    values = {one.value for one in ev.evaluate(place)}
    only = values.pop() if len(values) == 1 else None
    return str(only.value) if isinstance(only, Literal) else None
