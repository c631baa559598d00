"""Edits of an expression or its statement; all other text is kept."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.edits.argument_edits import ArgumentEdits
from torchlint.edits.augmented_edits import computed_anew
from torchlint.finding import Edit, Span
from torchlint.syntax.around import bound_by, stores_item
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.syntax.site import Site


class Edits(ArgumentEdits):
    """What can be done to a place."""

    def replace(self, text: str) -> Edit:
        """Replace the expression by a text."""
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
        """Append a text that starts with a dot or a bracket to the expression, in parentheses if it needs them."""
        if _is_primary(self._place):
            return (self.after(text),)
        if (behind := self._behind_parentheses()) is not None:
            return (Edit(behind, text),)
        return (self.before("("), self.after(f"){text}"))

    def rename(self, word: str) -> Edit:
        """Give an attribute another name: `to` for `cuda` in `model.cuda`."""
        span = self._place.span
        start = span.end_column - len(self._place.word)
        return Edit(Span(span.end_line, start, span.end_line, span.end_column), word)

    def call_instead(self, name: str) -> tuple[Edit, ...]:
        """Call something without arguments in place of an empty list or dict display: `nn.ModuleList()` for `[]`.

        What is between the brackets is kept, such as a comment; there is no edit for a display with items.
        """
        place, span = self._place, self._place.span
        match place.expression:
            case ast.Call(func=ast.Name(id="list" | "dict") as function, args=[], keywords=[]):
                return (Edit(place.at(function).span, name),)
            case ast.List(elts=[]) | ast.Dict(keys=[]):
                opening = Span(span.line, span.column, span.line, span.column + 1)
                closing = Span(span.end_line, span.end_column - 1, span.end_line, span.end_column)
                return (Edit(opening, f"{name}("), Edit(closing, ")"))
            case _:
                return ()

    def choose(self, text: str) -> tuple[Edit, ...]:
        """Put a conditional expression in the place of the expression, in parentheses if it needs them."""
        parent = self._place.file.parents_in(self._place.statement).get(self._place.expression)
        if isinstance(parent, (ast.FormattedValue, ast.JoinedStr)):
            return ()
        holds = (ast.Call, ast.keyword, ast.Dict, ast.List, ast.Tuple, ast.Set, ast.arguments, ast.stmt, type(None))
        is_called = isinstance(parent, ast.Call) and parent.func is self._place.expression
        return (self.replace(text if isinstance(parent, holds) and not is_called else f"({text})"),)

    def end_with(self, whole: Site) -> Edit:
        """Remove what follows the expression in a larger one: `.to(device)` in `x.to(device)`."""
        start, end = self._place.span, whole.span
        return Edit(Span(start.end_line, start.end_column, end.end_line, end.end_column), "")

    def without_word(self, whole: Site, text: str) -> Edit:
        """Replace the dot, the attribute's name and what follows it by a text: `.item()` in `x.item()`."""
        node = self._place.expression
        assert isinstance(node, ast.Attribute)
        owner, last = self._place.at(node.value).span, whole.span
        # Parentheses around the owner end after it, and are kept.
        before = self._place.file.text_between(owner, self._place.span)
        kept = before[: before.rindex(".")]
        line = owner.end_line + kept.count("\n")
        column = len(kept) - kept.rfind("\n") if "\n" in kept else owner.end_column + len(kept)
        return Edit(Span(line, column, last.end_line, last.end_column), text)

    def open_call(self) -> Edit | None:
        """Put `()` after the expression."""
        return self.after("()") if _is_primary(self._place) else None

    def _behind_parentheses(self) -> Span | None:
        """Return the end of the parentheses around an expression that is a whole statement's value."""
        place = self._place
        whole = place.file.span_of(place.statement)
        behind = place.file.text_between(place.span, whole)
        is_value = isinstance(place.file.parents_in(place.statement).get(place.expression), ast.stmt)
        if behind.strip() != ")" or not is_value:
            return None
        return Span(whole.end_line, whole.end_column, whole.end_line, whole.end_column)

    # -- the statement

    def computed_anew(self) -> tuple[Edit, ...]:
        """Assign the result of an operation in place to its name: `x = x * y` for `x *= y`."""
        return computed_anew(self._place)

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


def _is_primary(place: Site) -> bool:
    """Tell whether a dot or a bracket may follow an expression without parentheses."""
    import libcst as cst

    return isinstance(place.node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.List, cst.Dict, cst.Set))


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
