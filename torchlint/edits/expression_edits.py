"""Edits of an expression; all other text is kept."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.edits.statement_edits import StatementEdits
from torchlint.finding import Edit, Span

if TYPE_CHECKING:
    from torchlint.syntax.site import Site


class Edits(StatementEdits):
    """What can be done to a place."""

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


def _is_primary(place: Site) -> bool:
    """Tell whether a dot or a bracket may follow an expression without parentheses."""
    import libcst as cst

    return isinstance(place.node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.List, cst.Dict, cst.Set))
