"""Changes of a call as a node of LibCST: other arguments, in its own layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import libcst as cst


def argument(text: str, keyword: str = "") -> cst.Arg:
    """Return an argument by its text."""
    import libcst as cst

    value = cst.parse_expression(text)
    if not keyword:
        return cst.Arg(value)
    return cst.Arg(value, cst.Name(keyword), equal=_tight())


def named(given: cst.Arg, keyword: str) -> cst.Arg:
    """Return a positional argument as one by its name."""
    import libcst as cst

    return given.with_changes(keyword=cst.Name(keyword), equal=_tight())


def _tight() -> cst.AssignEqual:
    import libcst as cst

    return cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def with_first(call: cst.Call, first: cst.Arg, others: Sequence[cst.Arg]) -> cst.Call:
    """Return a call with another argument before its own, or what these have become."""
    import libcst as cst

    if others:
        first = first.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
    return call.with_changes(args=[first, *others])


def with_arguments(call: cst.Call, arguments: Sequence[cst.Arg]) -> cst.Call:
    """Return a call with other arguments, the last of which ends the list as the last one does."""
    last = call.args[-1]
    ended = arguments[-1].with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    return call.with_changes(args=[*arguments[:-1], ended])


def passed_to(given: cst.CSTNode, name: str) -> cst.Call:
    """Return the call of a function with an expression, whose parentheses are put around that."""
    import libcst as cst

    assert isinstance(given, cst.BaseExpression)
    # In a call these need parentheses of their own.
    if isinstance(given, (cst.GeneratorExp, cst.Tuple, cst.Yield)):
        return cst.Call(cst.parse_expression(name), [cst.Arg(given)])
    inner = given.with_changes(lpar=(), rpar=())
    return cst.Call(cst.parse_expression(name), [cst.Arg(inner)], lpar=given.lpar, rpar=given.rpar)
