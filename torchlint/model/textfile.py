"""The text of a parsed file, by nodes, spans and lines."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from torchlint.finding import Span
from torchlint.model.walk import walk
from torchlint.source import Source

_ATTRIBUTES = re.compile(r"\.([^\W\d]\w*)")


class TextFile:
    """A file and its tree."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        self.source = source
        self.tree = tree
        self._has_attributes: dict[str, bool] = {}

    @property
    def path(self) -> str:
        """Return the path as torchlint prints it: POSIX, relative to where it ran."""
        return self.source.path

    @cached_property
    def _lines(self) -> list[str]:
        return self.source.text.split("\n")

    def span_of(self, node: ast.expr | ast.stmt) -> Span:
        """Return where a node stands, in code points."""
        end_line = node.end_lineno or node.lineno
        return Span(
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end_line,
            self._column(end_line, node.end_col_offset or node.col_offset),
        )

    def position(self, line: int, offset: int) -> tuple[int, int]:
        """Return a place of CPython's as a line and a column of code points."""
        return line, self._column(line, offset)

    def _column(self, line: int, offset: int) -> int:
        """Turn CPython's offset in UTF-8 bytes into a column of code points, from 1."""
        text = self._lines[line - 1]
        return offset + 1 if text.isascii() else len(text.encode()[:offset].decode("utf-8", "replace")) + 1

    def has_attributes_of(self, text: str) -> bool:
        """Tell whether every attribute in some code, as `ast.unparse` writes it, has its name somewhere in the file."""
        if text not in self._has_attributes:
            self._has_attributes[text] = all(f".{name}" in self.source.text for name in _ATTRIBUTES.findall(text))
        return self._has_attributes[text]

    def displays(self, statement: ast.stmt) -> bool:
        """Tell whether a notebook shows what a statement comes to, as it does with the last one of a cell."""
        cell = self.source.notebook and self.source.notebook.cell_at(statement.lineno)
        if not cell or statement not in self.tree.body:
            return False
        following = self.tree.body[self.tree.body.index(statement) + 1 :][:1]
        span = self.span_of(statement)
        is_last = not following or following[0].lineno > cell.last
        return is_last and not self._lines[span.end_line - 1][span.end_column - 1 :].lstrip().startswith(";")

    @cached_property
    def quote(self) -> str:
        """Return the quotes that the file prefers."""
        return "'" if self.source.text.count("'") > self.source.text.count('"') else '"'

    def holds_text(self, text: str) -> bool:
        """Tell whether the file has a string that is exactly this."""
        return text in self.source.text and text in self._strings

    @cached_property
    def _strings(self) -> frozenset[str]:
        constants = (node.value for node in walk(self.tree) if isinstance(node, ast.Constant))
        return frozenset(value for value in constants if isinstance(value, str))

    def text_of(self, node: ast.expr | ast.stmt) -> str:
        """Return a node as it is written."""
        span = self.span_of(node)
        if span.line == span.end_line:
            return self._lines[span.line - 1][span.column - 1 : span.end_column - 1]
        first, *between, last = self._lines[span.line - 1 : span.end_line]
        return "\n".join([first[span.column - 1 :], *between, last[: span.end_column - 1]])

    def text_between(self, one: Span, other: Span) -> str:
        """Return what stands between the ends of two spans, the first of which ends before the second."""
        lines = self._lines[one.end_line - 1 : other.end_line]
        lines[-1] = lines[-1][: other.end_column - 1]
        lines[0] = lines[0][one.end_column - 1 :]
        return "\n".join(lines)

    def line(self, number: int) -> str:
        """Return a line, counted from 1, without its newline."""
        return self._lines[number - 1]

    def has_line(self, number: int) -> bool:
        """Tell whether there are so many lines, be the last one empty."""
        return number <= len(self._lines)
