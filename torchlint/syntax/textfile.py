"""The text of a parsed file, by nodes, spans and lines."""

from __future__ import annotations

import ast
import re
from array import array
from functools import cached_property
from itertools import accumulate

from torchlint.comments import blanked
from torchlint.finding import Span
from torchlint.source import Source
from torchlint.syntax.walk import walk

_ATTRIBUTES = re.compile(r"\.[^\W\d]\w*")


class TextFile:
    """A file and its tree."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        self.source = source
        self.tree = tree
        self._is_ascii = source.text.isascii()
        self._has_attributes: dict[str, bool] = {}

    @property
    def path(self) -> str:
        """Return the path as torchlint prints it: POSIX, relative to where it ran."""
        return self.source.path

    @cached_property
    def _starts(self) -> array[int]:
        """Return the offset at which each line begins, and at which a line after the last would."""
        lengths = (len(line) + 1 for line in self.source.text.split("\n"))
        return array("L", accumulate(lengths, initial=0))

    def _at(self, line: int, column: int) -> int:
        """Return the offset of a position in the text, at most at the end of its line."""
        return min(self._starts[line - 1] + column - 1, self._starts[line] - 1)

    def span_of(self, node: ast.expr | ast.stmt) -> Span:
        """Return the span of a node, in code points."""
        end_line = node.end_lineno or node.lineno
        return Span(
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end_line,
            self._column(end_line, node.end_col_offset or node.col_offset),
        )

    def position(self, line: int, offset: int) -> tuple[int, int]:
        """Convert a position of CPython's to a line and a column of code points."""
        return line, self._column(line, offset)

    def _column(self, line: int, offset: int) -> int:
        """Convert CPython's offset in UTF-8 bytes to a column of code points, from 1."""
        if self._is_ascii or (text := self.line(line)).isascii():
            return offset + 1
        return len(text.encode()[:offset].decode("utf-8", "replace")) + 1

    def has_attributes_of(self, text: str) -> bool:
        """Tell whether every attribute in some code, as `ast.unparse` writes it, has its name somewhere in the file."""
        if text not in self._has_attributes:
            self._has_attributes[text] = all(map(self.says, _ATTRIBUTES.findall(text)))
        return self._has_attributes[text]

    def displays(self, statement: ast.stmt) -> bool:
        """Tell whether a notebook displays the value of a statement, as it does with the last one of a cell."""
        cell = self.source.notebook and self.source.notebook.cell_at(statement.lineno)
        if not cell or statement not in self.tree.body:
            return False
        following = self.tree.body[self.tree.body.index(statement) + 1 :][:1]
        span = self.span_of(statement)
        is_last = not following or following[0].lineno > cell.last
        return is_last and not self.line(span.end_line)[span.end_column - 1 :].lstrip().startswith(";")

    @cached_property
    def is_script(self) -> bool:
        """Tell whether the file can be run as a script, even if it is imported."""
        return 'if __name__ == "__main__"' in self.code.replace("'", '"')

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
        """Return the source text of a node."""
        return self._part(self.source.text, self.span_of(node))

    def _part(self, text: str, span: Span) -> str:
        return text[self._at(span.line, span.column) : self._at(span.end_line, span.end_column)]

    @cached_property
    def code(self) -> str:
        """Return the text with spaces in place of its comments."""
        return blanked(self.source.text)

    def says(self, text: str) -> bool:
        """Tell whether the code contains a text; most files have it not even in a comment, which is checked first."""
        return text in self.source.text and text in self.code

    def code_of(self, node: ast.expr | ast.stmt | ast.Module) -> str:
        """Return the source text of a node, with spaces in place of its comments."""
        return self.code if isinstance(node, ast.Module) else self._part(self.code, self.span_of(node))

    def text_between(self, one: Span, other: Span) -> str:
        """Return the text between the ends of two spans, the first of which ends before the second."""
        return self.source.text[self._at(one.end_line, one.end_column) : self._at(other.end_line, other.end_column)]

    def line(self, number: int) -> str:
        """Return a line, counted from 1, without its newline."""
        return self.source.text[self._starts[number - 1] : self._starts[number] - 1]

    def has_line(self, number: int) -> bool:
        """Tell whether there are so many lines, an empty last one included."""
        return number < len(self._starts)
