"""Tests of counts, which are never negative: `torch.cuda.device_count() != -1`, `len(xs) >= 0`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Imported, Number, Possibility
from torchlint.pytorch.results import COUNTS, TENSOR_COUNTS

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_LENGTH = "builtins.len"
# What a count is, against 0 and against what is below 0; other comparisons with these are open.
_AGAINST_ZERO: dict[type[ast.cmpop], bool] = {ast.GtE: True, ast.Lt: False}
_AGAINST_LESS: dict[type[ast.cmpop], bool] = {
    ast.GtE: True, ast.Gt: True, ast.NotEq: True,
    ast.Lt: False, ast.LtE: False, ast.Eq: False,
}  # fmt: skip


def compared_count(ev: Evaluator, one: Possibility, op: ast.cmpop, number: object) -> bool | None:
    """Tell how a count compares with a number; None for what is no count, and if that depends on it."""
    if not isinstance(number, (int, float)) or number > 0:
        return None
    outcome = (_AGAINST_LESS if number < 0 else _AGAINST_ZERO).get(type(op))
    return outcome if outcome is not None and is_count(ev, one) else None


def is_count(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a number is the result of a call that counts: `torch.cuda.device_count()`, `x.size(0)`."""
    if not isinstance(one.value, Number) or one.origin is None or not isinstance(one.origin.expression, ast.Call):
        return False
    function = one.origin.expression.func
    if isinstance(function, ast.Attribute) and function.attr in TENSOR_COUNTS:
        return True
    names = [
        callee.value.name if isinstance(callee.value, Imported) else ""
        for callee in ev.evaluate(one.origin.at(function))
    ]
    return bool(names) and all(name == _LENGTH or name in COUNTS for name in names)
