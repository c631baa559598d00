"""Edits of the arguments of a call, in the layout that it has."""

from __future__ import annotations

import ast

from torchlint.edits.text_edits import TextEdits
from torchlint.finding import Edit, Span
from torchlint.syntax.arguments import has_open_keywords


class ArgumentEdits(TextEdits):
    """What can be done to the arguments of a place that is a call."""

    def first_argument(self, text: str) -> Edit | None:
        """Insert an argument before all others of a call; None if there is a `*`."""
        call = self._place.expression
        assert isinstance(call, ast.Call)
        arguments = _arguments(call)
        if not arguments:
            return self._in_parentheses(call, text)
        start = self._start(arguments[0])
        return Edit(Span(*start, *start), f"{text}, ")

    def last_argument(self, text: str) -> Edit | None:
        """Append an argument after all others of a call; None if there is none before it, or a `**`."""
        call = self._place.expression
        assert isinstance(call, ast.Call)
        arguments = _arguments(call)
        if not arguments or has_open_keywords(call):
            return None
        last = arguments[-1]
        # A generator that is the only argument has no parentheses of its own.
        if isinstance(last, ast.GeneratorExp):
            return None
        return self._behind(last, text)

    def drop_argument(self, name: str, position: int | None = None) -> tuple[Edit, ...]:
        """Remove an argument; no edit if the call has none of that name or position, or no other argument."""
        call = self._place.expression
        assert isinstance(call, ast.Call)
        arguments = _arguments(call)
        is_it = (one.arg == name if isinstance(one, ast.keyword) else i == position for i, one in enumerate(arguments))
        at = next((i for i, holds in enumerate(is_it) if holds), None)
        if at is None or len(arguments) == 1:
            return ()
        start, end = self._start(arguments[at]), self._end(arguments[at])
        if at:
            start = self._end(arguments[at - 1])
        else:
            end = self._start(arguments[1])
        return (Edit(Span(*start, *end), ""),)

    def _behind(self, last: ast.expr | ast.keyword, text: str) -> Edit:
        """Put an argument after the last one: on a line of its own if that has one, before the comment there."""
        file, (line, column) = self._place.file, self._end(last)
        rest = file.text_between(Span(line, column, line, column), self._place.span)
        # Parentheses of the argument's own come before the call's, which is the last one.
        own = rest[: rest.rindex(")")].rstrip()
        if own.startswith(")") and not own.strip("),"):
            column += len(own.rstrip(","))
        indent, separator = file.line(self._start(last)[0])[: self._start(last)[1] - 1], ", "
        behind = file.line(line)[column - 1 :]
        if not indent.strip() and "\n" in rest:
            separator = f",\n{indent}"
            if behind.startswith(",") and "#" in behind:
                return Edit(Span(line, column + len(behind), line, column + len(behind)), f"\n{indent}{text},")
            if "#" in behind:
                separator = ", "
        return Edit(Span(line, column, line, column), f"{separator}{text}")

    def _start(self, node: ast.expr | ast.keyword) -> tuple[int, int]:
        return self._place.file.position(node.lineno, node.col_offset)

    def _end(self, node: ast.expr | ast.keyword) -> tuple[int, int]:
        return self._place.file.position(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def _in_parentheses(self, call: ast.Call, text: str) -> Edit | None:
        whole, callee = self._place.span, self._place.at(call.func).span
        rest = self._place.file.text_between(callee, whole)
        before = rest[: rest.index("(") + 1]
        if "#" in before:
            return None
        line = callee.end_line + before.count("\n")
        column = len(before) - before.rfind("\n") if "\n" in before else callee.end_column + len(before)
        return Edit(Span(line, column, line, column), text)


def _arguments(call: ast.Call) -> list[ast.expr | ast.keyword]:
    """Return all arguments of a call in source order."""
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    return sorted(arguments, key=lambda node: (node.lineno, node.col_offset))
