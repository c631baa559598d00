"""Edits of the text at an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.finding import Edit, Span

if TYPE_CHECKING:
    from torchlint.syntax.site import Site


class TextEdits:
    """What can be done to the text of a place."""

    def __init__(self, place: Site) -> None:
        self._place = place

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
