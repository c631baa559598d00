"""The form of an operation that is computed out of place: `gate = gate * x` for `gate *= x`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import libcst as cst


def computed_anew(line: cst.CSTNode) -> cst.CSTNode:
    """Assign the result of an operation instead of augmenting: the change of a statement that does that to a name."""
    import libcst as cst

    assert isinstance(line, cst.SimpleStatementLine)
    old = line.body[0]
    assert isinstance(old, cst.AugAssign)
    target, operator = old.target, getattr(cst, type(old.operator).__name__.removesuffix("Assign"))
    result = cst.BinaryOperation(cast("cst.BaseExpression", target), operator(), _in_parentheses(old.value))
    return line.with_changes(body=[cst.Assign([cst.AssignTarget(target)], result)])


def _in_parentheses(value: cst.BaseExpression) -> cst.BaseExpression:
    """Put what is no primary in parentheses, if it has none."""
    import libcst as cst

    primary = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BaseNumber, cst.BaseString)
    if value.lpar or isinstance(value, primary):
        return value
    return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
