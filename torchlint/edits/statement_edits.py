"""Edits of the statement of an expression; all other text is kept."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from torchlint.edits.argument_edits import ArgumentEdits
from torchlint.edits.augmented_edits import computed_anew
from torchlint.edits.call_changes import passed_to
from torchlint.edits.statement_form import form_of
from torchlint.finding import Edit, Span
from torchlint.syntax.around import bound_by, stores_item
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torchlint.edits.statement_form import Change
    from torchlint.syntax.site import Site


class StatementEdits(ArgumentEdits):
    """What can be done to the statement of a place."""

    def transform(self, changes: Mapping[ast.expr, Change], whole: Change | None = None) -> tuple[Edit, ...]:
        """Change expressions of the statement, and then the statement, as nodes of LibCST, which keep their form.

        No edit if LibCST cannot parse it.
        """
        form = form_of(self._place)
        return form.edits(changes, whole) if form is not None else ()

    def change(self, change: Change) -> tuple[Edit, ...]:
        """Change the expression as a node of LibCST."""
        return self.transform({self._place.expression: change})

    def pass_to(self, name: str) -> tuple[Edit, ...]:
        """Call a function, by its name, with the expression: `list(x)` for `x`."""
        return self.change(partial(passed_to, name=name))

    def computed_anew(self) -> tuple[Edit, ...]:
        """Assign the result of an operation in place to its name: `x = x * y` for `x *= y`."""
        statement = self._place.statement
        is_of_name = isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name)
        return self.transform({}, computed_anew) if is_of_name else ()

    def unassign(self) -> tuple[Edit, ...]:
        """Remove the targets of an assignment, so that the expression is the whole statement."""
        span, start = self._place.span, self._place.file.span_of(self._place.statement)
        return (Edit(Span(start.line, start.column, span.line, span.column), ""),)

    def break_line(self, text: str) -> tuple[Edit, ...]:
        """End the statement after the expression, and continue with a text on the next line; what follows is kept."""
        statement = self._place.file.span_of(self._place.statement)
        before, _ = _around(self._place, statement)
        if before.strip() or statement.line != statement.end_line:
            return ()
        return (self.after(f"\n{before}{text}"),)

    def instead_of_assigning(self, before: str, after: str) -> tuple[Edit, ...]:
        """Put texts around the value of an assignment, in place of `name =`; no edit with more than one target."""
        place = self._place
        match place.statement:
            case ast.Assign(targets=[target], value=value) if value is place.expression:
                pass
            case _:
                return ()
        whole, start = place.file.span_of(place.statement), place.at(target).span
        between = place.file.text_between(start, place.span).removesuffix(place.text)
        behind = place.file.text_between(place.span, whole)
        # Parentheses that are the statement's own would be left behind.
        if between.strip() != "=" or behind:
            return ()
        name = Edit(Span(start.line, start.column, place.span.line, place.span.column), before)
        return (name, self.after(after))

    def line_before(self, text: str) -> Edit | None:
        """Insert a line before the statement; None if the statement does not start its line."""
        span = self._place.file.span_of(self._place.statement)
        before, _ = _around(self._place, span)
        if before.strip() or self._place.file.line(span.line).lstrip().startswith("elif"):
            return None
        return Edit(Span(span.line, 1, span.line, 1), f"{before}{text}\n")

    def line_after(self, text: str) -> Edit | None:
        """Insert a line after the statement, a whole loop included; None if it shares its last line."""
        span = self._place.file.span_of(self._place.statement)
        before, _ = _around(self._place, span)
        last = self._place.file.line(span.end_line)
        if before.strip() or ";" in last[span.end_column - 1 :]:
            return None
        return Edit(Span(span.end_line, len(last) + 1, span.end_line, len(last) + 1), f"\n{before}{text}")

    def remove(self, *, is_assigned: bool = False) -> tuple[Edit, ...]:
        """Remove the statement, or the assignment of the expression or to the item that it is.

        No edit if it is only a part of the statement.
        """
        place = self._place
        if not place.is_statement and not (is_assigned and (len(bound_by(place)) == 1 or stores_item(place))):
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
        """Put the statement under a test; no edit if it shares its line, or the expression is only a part of it."""
        return self.within(f"if {test}:") if self._place.is_statement else ()

    def within(self, head: str) -> tuple[Edit, ...]:
        """Put the whole statement into a block with a head; no edit if it shares its line."""
        place = self._place
        span = place.file.span_of(place.statement)
        before, after = _around(place, span)
        if before.strip() or (after.strip() and not after.lstrip().startswith("#")):
            return ()
        unit = place.file.indentation
        start = Edit(Span(span.line, span.column, span.line, span.column), f"{head}\n{before}{unit}")
        return (start, *_indented(place, span, unit))

    def head_of_rest(self, before: str, after: str) -> tuple[Edit, ...]:
        """Make the statement the head of a block of what follows it in its own, with texts around the expression.

        No edit if it shares its line, a string below spans several lines, or all below are functions.
        """
        place = self._place
        span, (block, position) = place.file.span_of(place.statement), place.file.index.home[place.statement]
        rest = block.body[position + 1 :]
        around = _around(place, span)
        is_run = any(not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) for one in rest)
        if not place.is_statement or not is_run or around[0].strip() or around[1].strip().startswith(";"):
            return ()
        strings = (node for one in rest for node in walk(one) if isinstance(node, (ast.Constant, ast.JoinedStr)))
        if any((node.end_lineno or 0) > node.lineno for node in strings):
            return ()
        lines = range(span.end_line + 1, place.file.span_of(rest[-1]).end_line + 1)
        unit = place.file.indentation
        moved = (Edit(Span(line, 1, line, 1), unit) for line in lines if place.file.line(line).strip())
        return (self.before(before), self.after(after), *moved)


def _around(place: Site, span: Span) -> tuple[str, str]:
    """Return the text on the lines of a statement before and after it."""
    return place.file.line(span.line)[: span.column - 1], place.file.line(span.end_line)[span.end_column - 1 :]


def _out_of_line(span: Span, before: str, after: str) -> Edit:
    """Remove a statement from a line that it shares with others."""
    if before.rstrip().endswith(";"):
        start = len(before.rstrip().removesuffix(";").rstrip()) + 1
        return Edit(Span(span.line, start, span.end_line, span.end_column), "")
    rest = after.lstrip().removeprefix(";")
    if rest.strip() and rest != after.lstrip():
        end = span.end_column + len(after) - len(rest.lstrip())
        return Edit(Span(span.line, span.column, span.end_line, end), "")
    return Edit(span, "pass")


def _indented(place: Site, span: Span, unit: str) -> tuple[Edit, ...]:
    """Indent the further lines of a statement, unless a string spans several of them."""
    strings = (node for node in walk(place.statement) if isinstance(node, (ast.Constant, ast.JoinedStr)))
    if any((node.end_lineno or 0) > node.lineno for node in strings):
        return ()
    lines = range(span.line + 1, span.end_line + 1)
    return tuple(Edit(Span(line, 1, line, 1), unit) for line in lines if place.file.line(line).strip())
