"""Edits of an expression or its statement, as an author would make them: nothing else moves."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.finding import Edit, Span

if TYPE_CHECKING:
    from torchlint.model.place import Place


class Edits:
    """What can be done to a place."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def replace(self, text: str) -> Edit:
        """Put a text in the place of the expression."""
        return Edit(self._place.span, text)

    def before(self, text: str) -> Edit:
        """Put a text right before the expression."""
        span = self._place.span
        return Edit(Span(span.line, span.column, span.line, span.column), text)

    def after(self, text: str) -> Edit:
        """Put a text right after the expression."""
        span = self._place.span
        return Edit(Span(span.end_line, span.end_column, span.end_line, span.end_column), text)

    def append(self, text: str) -> tuple[Edit, ...]:
        """Put what follows a dot or a bracket after the expression, in parentheses where it needs them."""
        if _is_primary(self._place):
            return (self.after(text),)
        return (self.before("("), self.after(f"){text}"))

    def rename(self, word: str) -> Edit:
        """Give an attribute another name: `to` for `cuda` in `model.cuda`."""
        span = self._place.span
        start = span.end_column - len(self._place.word)
        return Edit(Span(span.end_line, start, span.end_line, span.end_column), word)

    def choose(self, text: str) -> tuple[Edit, ...]:
        """Put a conditional expression in the place of the expression, in parentheses where it needs them."""
        parent = self._place.file.parents_in(self._place.statement).get(self._place.expression)
        if isinstance(parent, (ast.FormattedValue, ast.JoinedStr)):
            return ()
        holds = (ast.Call, ast.keyword, ast.Dict, ast.List, ast.Tuple, ast.Set, ast.arguments, ast.stmt, type(None))
        is_called = isinstance(parent, ast.Call) and parent.func is self._place.expression
        return (self.replace(text if isinstance(parent, holds) and not is_called else f"({text})"),)

    def end_with(self, whole: Place) -> Edit:
        """Leave out what follows the expression in a larger one: `.to(device)` in `x.to(device)`."""
        start, end = self._place.span, whole.span
        return Edit(Span(start.end_line, start.end_column, end.end_line, end.end_column), "")

    def open_call(self) -> Edit | None:
        """Put `()` after the expression."""
        return self.after("()") if _is_primary(self._place) else None

    def first_argument(self, text: str) -> Edit | None:
        """Put another argument before all others of a call; None where there is a `*`."""
        call = self._place.expression
        assert isinstance(call, ast.Call)
        arguments = _arguments(call)
        if not arguments:
            return self._in_parentheses(call, text)
        start = self._start(arguments[0])
        return Edit(Span(*start, *start), f"{text}, ")

    def last_argument(self, text: str) -> Edit | None:
        """Put another argument after all others of a call; None where there is none before it, or a `**`."""
        call = self._place.expression
        assert isinstance(call, ast.Call)
        arguments = _arguments(call)
        if not arguments or any(word.arg is None for word in call.keywords):
            return None
        last = arguments[-1]
        # A generator that is the only argument goes without parentheses of its own.
        if isinstance(last, ast.GeneratorExp):
            return None
        return self._place.at(last.value if isinstance(last, ast.keyword) else last).edits.after(f", {text}")

    def drop_argument(self, name: str) -> tuple[Edit, ...]:
        """Leave a keyword argument out; nothing where the call has none of that name, or no other argument."""
        call = self._place.expression
        assert isinstance(call, ast.Call)
        arguments = _arguments(call)
        at = next((i for i, one in enumerate(arguments) if isinstance(one, ast.keyword) and one.arg == name), None)
        if at is None or len(arguments) == 1:
            return ()
        start, end = self._start(arguments[at]), self._end(arguments[at])
        if at:
            start = self._end(arguments[at - 1])
        else:
            end = self._start(arguments[1])
        return (Edit(Span(*start, *end), ""),)

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

    # -- the statement

    def unassign(self) -> tuple[Edit, ...]:
        """Leave what the statement assigns to out, so that the expression is the whole statement."""
        span, start = self._place.span, self._place.file.span_of(self._place.statement)
        return (Edit(Span(start.line, start.column, span.line, span.column), ""),)

    def break_line(self, text: str) -> tuple[Edit, ...]:
        """End the statement after the expression, and go on with a text in the next line; what follows stays."""
        statement = self._place.file.span_of(self._place.statement)
        before, _ = _around(self._place, statement)
        if before.strip() or statement.line != statement.end_line:
            return ()
        return (self.after(f"\n{before}{text}"),)

    def remove(self) -> tuple[Edit, ...]:
        """Take the statement out; nothing where the expression is only a part of it."""
        place = self._place
        if not place.is_statement:
            return ()
        span, (block, _) = place.file.span_of(place.statement), place.file.index.home[place.statement]
        before, after = _around(place, span)
        if before.strip() or (after.strip() and not after.lstrip().startswith("#")):
            return (_out_of_line(span, before, after),)
        if len(block.body) == 1:
            return (Edit(span, "pass"),)
        if place.file.has_line(span.end_line + 1):
            return (Edit(Span(span.line, 1, span.end_line + 1, 1), ""),)
        return (Edit(Span(span.line, 1, span.end_line, span.end_column), ""),)

    def guard(self, test: str) -> tuple[Edit, ...]:
        """Put the statement behind a test; nothing where it shares its line, or the expression is but a part of it."""
        place = self._place
        if not place.is_statement:
            return ()
        span = place.file.span_of(place.statement)
        before, after = _around(place, span)
        if before.strip() or (after.strip() and not after.lstrip().startswith("#")):
            return ()
        unit = place.file.indentation
        start = Edit(Span(span.line, span.column, span.line, span.column), f"if {test}:\n{before}{unit}")
        return (start, *_indented(place, span, unit))


def _is_primary(place: Place) -> bool:
    """Tell whether a dot or a bracket may follow an expression as it is written."""
    import libcst as cst

    return isinstance(place.node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.List, cst.Dict, cst.Set))


def _arguments(call: ast.Call) -> list[ast.expr | ast.keyword]:
    """Return all arguments of a call in the order in which they are written."""
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    return sorted(arguments, key=lambda node: (node.lineno, node.col_offset))


def _around(place: Place, span: Span) -> tuple[str, str]:
    """Return what stands on the lines of a statement before and after it."""
    return place.file.line(span.line)[: span.column - 1], place.file.line(span.end_line)[span.end_column - 1 :]


def _out_of_line(span: Span, before: str, after: str) -> Edit:
    """Take a statement out of a line that it shares with others."""
    if before.rstrip().endswith(";"):
        start = len(before.rstrip().removesuffix(";").rstrip()) + 1
        return Edit(Span(span.line, start, span.end_line, span.end_column), "")
    rest = after.lstrip().removeprefix(";")
    if rest.strip() and rest != after.lstrip():
        end = span.end_column + len(after) - len(rest.lstrip())
        return Edit(Span(span.line, span.column, span.end_line, end), "")
    return Edit(span, "pass")


def _indented(place: Place, span: Span, unit: str) -> tuple[Edit, ...]:
    """Move the further lines of a statement to the right, unless a string goes over several of them."""
    strings = (node for node in ast.walk(place.statement) if isinstance(node, (ast.Constant, ast.JoinedStr)))
    if any((node.end_lineno or 0) > node.lineno for node in strings):
        return ()
    lines = range(span.line + 1, span.end_line + 1)
    return tuple(Edit(Span(line, 1, line, 1), unit) for line in lines if place.file.line(line).strip())
