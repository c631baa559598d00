"""Constants computed from constants, each of them small: a text doubled in every line soon fills all memory.

Of a longer text only the beginning is known, and a larger number is some number.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable

from torchlint.model.values.value_sets import Literal, Number, Text, Unknown, Value

LONGEST = 200
"""The most characters of a computed text, and the most digits of a number."""
_MOST_BITS = 660  # 200 digits
_ARITHMETIC: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
# `"%0999999999d" % 1` makes a gigabyte of one digit.
_WIDE_FORMAT = re.compile(r"%[^%a-zA-Z]*(?:\d{3}|\*)")


def constant(value: str | int | float | bool) -> Value:
    """Return a constant that was computed, or what is known of it if it is not small."""
    if isinstance(value, str):
        return Literal(value) if len(value) <= LONGEST else Text(value[:LONGEST])
    return Literal(value) if is_small(value) else Number()


def is_small(value: object) -> bool:
    """Tell whether a constant is short enough to compute with."""
    if isinstance(value, (str, bytes)):
        return len(value) <= LONGEST
    return not isinstance(value, int) or value.bit_length() <= _MOST_BITS


def in_text(literal: Literal) -> str | None:
    """Return what `str` makes of a constant, None if it is not small: Python converts 4,300 digits at most."""
    return str(literal.value) if is_small(literal.value) else None


def joined_parts(parts: Iterable[str | None]) -> Literal | Text:
    """Return the joined text, as far as it is known and short; None is an unknown part."""
    beginning = ""
    for part in parts:
        if part is None:
            return Text(beginning)
        beginning += part
        if len(beginning) > LONGEST:
            return Text(beginning[:LONGEST])
    return Literal(beginning)


def computed(left: Literal, op: ast.operator, right: Literal) -> Value:
    """Return the constant that an operator makes of two constants, if all of them are small."""
    compute = _ARITHMETIC.get(type(op))
    if isinstance(op, ast.Mult) and (isinstance(left.value, str) or isinstance(right.value, str)):
        return Text()
    if compute is None or isinstance(left.value, (bytes, complex)) or isinstance(right.value, (bytes, complex)):
        return Number()
    if not (is_small(left.value) and is_small(right.value)):
        return Text() if isinstance(left.value, str) else Number()
    if isinstance(left.value, str) and isinstance(op, ast.Mod) and _WIDE_FORMAT.search(left.value):
        return Text(left.value.partition("%")[0])
    try:
        result = compute(left.value, right.value)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return Unknown()
    return constant(result) if isinstance(result, (str, int, float, bool)) else Unknown()
