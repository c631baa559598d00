"""Texts that are put together from known parts."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.values.possible import Literal, Text, Tuple, known

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.model.values.evaluator import Evaluator

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


def split_up(call: ast.Call, text: str) -> Tuple | None:
    """Return the parts that `text.split(":")` gives, or None where what parts them is not written down."""
    match call:
        case ast.Call(args=[ast.Constant(value=str(mark))], keywords=[]) if mark:
            parts = text.split(mark)
        case (
            ast.Call(
                args=[ast.Constant(value=str(mark))],
                keywords=[ast.keyword(arg="maxsplit", value=ast.Constant(value=int(most)))],
            )
            | ast.Call(args=[ast.Constant(value=str(mark)), ast.Constant(value=int(most))], keywords=[])
        ) if mark:
            parts = text.split(mark, most)
        case _:
            return None
    return Tuple(tuple(known(Literal(part)) for part in parts)) if len(text) < _LONGEST else None


def _only_constant(ev: Evaluator, place: Place) -> str | None:
    values = {one.value for one in ev.evaluate(place)}
    only = values.pop() if len(values) == 1 else None
    return str(only.value) if isinstance(only, Literal) else None
