"""Formatted strings, f-strings and t-strings: the text between their fields, and the fields."""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

# Before Python 3.12 all parts of a string have the position of the whole, and are of one kind.
PARTS_ARE_TOLD_APART = sys.version_info >= (3, 12)
# What CPython reads as a backslash by itself: one before a character of another script, or before a field.
_ESCAPED = re.compile(r"\\(\\)|\\(?=[^\x00-\x7f]|\Z)")


@dataclass(frozen=True, slots=True)
class Literal:
    """A text between fields; `kind` is CPython's name of the `u` before it."""

    start: int
    end: int
    value: str
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A field with its braces; `bare` is the span of its value if that is a tuple without brackets."""

    start: int
    end: int
    conversion: int = -1
    spec: Text | None = None
    bare: tuple[int, int] | None = None


Part: TypeAlias = "Literal | Field"


@dataclass(frozen=True, slots=True)
class Text:
    """A formatted string, or a format within one; `string` is the single string around it, among concatenated ones."""

    start: int
    end: int
    parts: tuple[Part, ...]
    string: tuple[int, int]
    kind: str | None = None
    is_template: bool = False


def joined(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the parts of a string with adjacent literals joined, without empty ones."""
    before: Literal | None = None
    for part in parts:
        if isinstance(part, Literal):
            before = part if before is None else _side_by_side(before, part)
            continue
        if before is not None and before.value:
            yield before
        before = None
        yield part
    if before is not None and before.value:
        yield before


def _side_by_side(one: Literal, other: Literal) -> Literal:
    return Literal(one.start, other.end, one.value + other.value, one.kind)


def decoded(text: str, *, is_raw: bool) -> str:
    """Return the value of a text between fields; raises `ValueError` for an invalid escape."""
    text = text.replace("{{", "{").replace("}}", "}")
    if is_raw or "\\" not in text:
        return text
    plain = _ESCAPED.sub(lambda found: found[0] if found[1] else r"\u005c", text)
    return codecs.decode(plain.encode("ascii", "backslashreplace"), "unicode_escape")
