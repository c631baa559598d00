"""Restore the tree of a program from that of its rewritten form: the positions of nodes, and formatted strings."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from operator import attrgetter

from torchlint.newer.rewriting import Lines, Place, Rewriting
from torchlint.newer.texts import PARTS_ARE_TOLD_APART, Field, Literal, Part, Text

_PLACE = attrgetter(*Place.__annotations__)


def restored(tree: ast.Module, rewriting: Rewriting) -> ast.Module:
    """Return the tree of a rewritten program as that of the original; raises `SyntaxError` for what is no program."""
    texts = _put_back(tree, rewriting)
    pending: list[ast.AST] = [tree]
    while pending:
        parent = pending.pop()
        for name, value in ast.iter_fields(parent):
            if isinstance(value, list):
                value[:] = [_restored(child, texts, rewriting) for child in value]
                pending += [child for child in value if isinstance(child, ast.AST)]
            elif isinstance(value, ast.AST):
                setattr(parent, name, child := _restored(value, texts, rewriting))
                pending.append(child)
    if texts:
        raise SyntaxError("a formatted text is where only a tuple may be")
    return tree


def _put_back(tree: ast.Module, rewriting: Rewriting) -> dict[ast.AST, Text]:
    """Give every node its original position, and return the formatted strings by the tuples that replace them."""
    texts: dict[ast.AST, Text] = {}
    for node in ast.walk(tree):
        if not node._attributes:
            continue
        line, column, end_line, end_column = _PLACE(node)
        start, end = rewriting.after.offset(line, column), rewriting.after.offset(end_line, end_column)
        if isinstance(node, ast.Tuple) and (text := rewriting.texts.get((start, end))) is not None:
            texts[node] = text
        is_statement = isinstance(node, ast.stmt)
        _put(node, rewriting.before.place(rewriting.start_of(start, is_statement=is_statement), rewriting.end_of(end)))
    if len(texts) < len(rewriting.texts):
        raise SyntaxError("a formatted text is where only a tuple may be")
    return texts


def _put(node: ast.AST, place: Place) -> None:
    for name, value in place.items():
        setattr(node, name, value)


def _restored(child: ast.AST, texts: dict[ast.AST, Text], rewriting: Rewriting) -> ast.AST:
    if not isinstance(child, ast.Tuple) or (text := texts.pop(child, None)) is None:
        return child
    if type(child.ctx) is not ast.Load:
        raise SyntaxError("a formatted text is where only a tuple may be")
    return _Restoring(text, rewriting.before, child.elts).restored


class _Restoring:
    """A formatted string that is restored, around the values of its fields."""

    def __init__(self, text: Text, lines: Lines, values: Sequence[ast.expr]) -> None:
        self._text = text
        self._lines = lines
        self._values = iter(values)

    @property
    def restored(self) -> ast.expr:
        """Return the string as a node: a t-string as a tuple, for other code formats it, if any does."""
        whole = self._lines.place(self._text.start, self._text.end)
        if self._text.is_template:
            return ast.Tuple(list(self._flat(self._text.parts)), ast.Load(), **whole)
        return ast.JoinedStr(self._formatted(self._text.parts), **whole)

    def _flat(self, parts: Sequence[Part]) -> Iterator[ast.expr]:
        for part in parts:
            if isinstance(part, Literal):
                yield self._constant(part)
                continue
            yield self._value(part)
            yield from self._flat(part.spec.parts if part.spec is not None else ())

    def _formatted(self, parts: Sequence[Part]) -> list[ast.expr]:
        return [self._constant(part) if isinstance(part, Literal) else self._field(part) for part in parts]

    def _field(self, field: Field) -> ast.FormattedValue:
        value, spec = self._value(field), field.spec
        format_spec = self._format(spec) if spec is not None else None
        return ast.FormattedValue(value, field.conversion, format_spec, **self._place(field))

    def _format(self, spec: Text) -> ast.JoinedStr:
        if PARTS_ARE_TOLD_APART:
            return ast.JoinedStr(self._formatted(spec.parts), **self._place(spec))
        # The end of a format is, as the format is, in the single string around it.
        place = self._lines.place(*spec.string)
        parts = self._formatted(spec.parts)
        if parts and isinstance(parts[-1], ast.Constant):
            parts[-1] = ast.Constant(parts[-1].value, **place)
        return ast.JoinedStr(parts, **place)

    def _value(self, field: Field) -> ast.expr:
        value = next(self._values)
        if field.bare is not None:
            _put(value, self._lines.place(*field.bare))
        return value

    def _constant(self, literal: Literal) -> ast.Constant:
        kind = literal.kind if PARTS_ARE_TOLD_APART else self._text.kind
        return ast.Constant(literal.value, kind, **self._place(literal))

    def _place(self, part: Part | Text) -> Place:
        part = part if PARTS_ARE_TOLD_APART or self._text.is_template else self._text
        return self._lines.place(part.start, part.end)
