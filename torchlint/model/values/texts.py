"""Texts that are composed of known parts."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.values.folding import in_text, is_small, joined_parts
from torchlint.model.values.value_sets import Literal, Text, Tuple, known

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def filled_in(ev: Evaluator, call: Place, text: str) -> Literal | Text:
    """Return what `text.format(…)` returns: all of it if every part is known, else how it begins."""
    assert isinstance(call.expression, ast.Call)
    first, *others = text.split("{}")
    arguments = call.expression.args
    if "{" in first.join(others) or len(arguments) != len(others) or call.expression.keywords:
        return Text(text.partition("{")[0])
    parts = (_only_constant(ev, call.at(argument)) for argument in arguments)
    return joined_parts((first, *(one for pair in zip(parts, others, strict=True) for one in pair)))


def split_up(call: ast.Call, text: str) -> Tuple | None:
    """Return the parts that `text.split(":")` returns, or None if the separator is not a literal."""
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
    return Tuple(tuple(known(Literal(part)) for part in parts)) if is_small(text) else None


def _only_constant(ev: Evaluator, place: Place) -> str | None:
    values = {one.value for one in ev.evaluate(place)}
    only = values.pop() if len(values) == 1 else None
    return in_text(only) if isinstance(only, Literal) else None
