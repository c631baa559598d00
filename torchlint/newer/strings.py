"""Find the formatted strings of a program: each is replaced by a tuple of its fields, with the same names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import libcst as cst

from torchlint.newer.rewriting import Rewrite
from torchlint.newer.spans import Spans
from torchlint.newer.texts import PARTS_ARE_TOLD_APART, Field, Literal, Part, Text, decoded, joined

Formatted: TypeAlias = "cst.FormattedString | cst.TemplatedString"
Replaced: TypeAlias = "cst.FormattedStringExpression | cst.TemplatedStringExpression"
Content: TypeAlias = "cst.BaseFormattedStringContent | cst.BaseTemplatedStringContent"

FORMATTED = (cst.FormattedString, cst.TemplatedString)
_FIELDS = (cst.FormattedStringExpression, cst.TemplatedStringExpression)
_TEXTS = (cst.FormattedStringText, cst.TemplatedStringText)
_BLANK = re.compile(rb"(?:\s|\\\n|#[^\n]*\n)*")
_EQUAL = re.compile(_BLANK.pattern + rb"=" + _BLANK.pattern)
_AS_REPR = ord("r")


def side_by_side(node: cst.BaseString) -> list[cst.BaseString]:
    """Return the parts of a string of implicitly concatenated ones."""
    strings: list[cst.BaseString] = []
    while isinstance(node, cst.ConcatenatedString):
        strings.append(node.left)
        node = node.right
    return [*strings, node]


class Texts:
    """The formatted strings of a program."""

    def __init__(self, data: bytes, spans: Spans) -> None:
        self._data = data
        self._spans = spans

    def rewrites(self, strings: Sequence[cst.BaseString]) -> Iterator[Rewrite]:
        """Yield the rewrites that make a tuple of the fields of a string: all but these is replaced."""
        done = self._spans.start(strings[0])
        between = "(("
        for start, end in self._values(_contents(strings)):
            yield Rewrite(done, start, between)
            done, between = end, "),("
        yield Rewrite(done, self._spans.end(strings[-1]), "()" if between == "((" else "),)")

    def _values(self, contents: Sequence[Content]) -> Iterator[tuple[int, int]]:
        for content in contents:
            if isinstance(content, _FIELDS):
                yield self._spans.around(content.expression)
                yield from self._values(content.format_spec or ())

    def text(self, strings: Sequence[cst.BaseString]) -> Text:
        """Return what is needed to restore a string."""
        parts = [part for string in strings for part in self._parts(string)]
        start, end = self._spans.start(strings[0]), self._spans.end(strings[-1])
        kind = parts[0].kind if parts and isinstance(parts[0], Literal) else None
        is_template = isinstance(strings[0], cst.TemplatedString)
        if any(isinstance(string, cst.TemplatedString) is not is_template for string in strings):
            raise SyntaxError("cannot mix t-string literals with others")
        return Text(start, end, tuple(joined(parts)), (start, end), kind, is_template)

    def _parts(self, string: cst.BaseString) -> Iterator[Part]:
        start, end = self._spans.start(string), self._spans.end(string)
        if isinstance(string, cst.SimpleString):
            kind = "u" if string.value.startswith("u") else None
            yield Literal(start, end, str(ast.literal_eval(string.value)), kind)
        elif isinstance(string, FORMATTED):
            yield from self._contents(string.parts, "r" in string.prefix, (start, end))

    def _contents(self, contents: Sequence[Content], is_raw: bool, string: tuple[int, int]) -> Iterator[Part]:
        for content in contents:
            if isinstance(content, _TEXTS):
                start, end = self._spans.start(content), self._spans.end(content)
                yield Literal(start, end, decoded(content.value, is_raw=is_raw))
            elif isinstance(content, _FIELDS):
                yield from self._field(content, is_raw, string)

    def _field(self, field: Replaced, is_raw: bool, string: tuple[int, int]) -> Iterator[Part]:
        """Yield a field, after its own text if it ends with `=`."""
        start, end = self._spans.start(field), self._spans.end(field)
        value = self._spans.around(field.expression)
        if field.equal is not None and (equal := _EQUAL.match(self._data, value[1])):
            yield Literal(start + 1, equal.end(), self._data[start + 1 : equal.end()].decode())
        spec = None
        if field.format_spec is not None:
            parts = tuple(joined(self._contents(field.format_spec, is_raw, string)))
            spec = Text(self._start_of_spec(field), end - 1, parts, string)
        is_repr = field.equal is not None and spec is None and field.conversion is None
        conversion = ord(field.conversion) if field.conversion else _AS_REPR if is_repr else -1
        is_bare = isinstance(field.expression, cst.Tuple) and not field.expression.lpar
        if is_bare and not PARTS_ARE_TOLD_APART:
            # To Python 3.11 the brace before it, and what follows it, are the brackets that it lacks.
            value = start, self._behind_blank(value[1]) + 1
        yield Field(start, end, conversion, spec, value if is_bare else None)

    def _behind_blank(self, offset: int) -> int:
        blank = _BLANK.match(self._data, offset)
        return blank.end() if blank is not None else offset

    def _start_of_spec(self, field: Replaced) -> int:
        if field.format_spec:
            return self._spans.start(field.format_spec[0]) - 1
        return self._spans.end(field) - 2


def _contents(strings: Sequence[cst.BaseString]) -> list[Content]:
    return [content for string in strings if isinstance(string, FORMATTED) for content in string.parts]
