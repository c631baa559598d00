"""Remove a name from its comment: with the whole comment, if nothing else is in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from torchlint.finding import Edit, Fix, Span
from torchlint.suppression.comments import Comment
from torchlint.suppression.directives import Order, stretch_at


def removal(order: Order, lines: Sequence[str]) -> Fix:
    """Return the fix that removes a name, given the lines of its file; no comment changes what a program does."""
    comment, at = order.comment, order.span.column - order.comment.column
    whole, names = stretch_at(comment, at)
    index = bisect_right(names, at, key=lambda name: name.start) - 1
    if len(names) > 1:
        gap = range(names[index - 1].stop, names[index].stop) if index else range(at, names[1].start)
        return _fix(f"Remove `{order.name}`", comment.span(gap.start, gap.stop))
    return without(comment, whole, lines)


def without(comment: Comment, stretch: range, lines: Sequence[str], doubt: str = "") -> Fix:
    """Return the fix that removes a part of a comment, and its reason; it is unsafe if there is a doubt."""
    return _fix("Remove the comment", _around(comment, stretch, lines[comment.line - 1], len(lines)), doubt)


def _around(comment: Comment, whole: range, line: str, lines: int) -> Span:
    """Return the span of a part of a comment, with its reason, the white space before it and a line left empty."""
    # What follows the next hash sign is another comment.
    following = comment.text.find("#", whole.stop)
    if following >= 0:
        return comment.span(whole.start, following)
    before = line[: comment.column - 1 + whole.start]
    if before.strip() or comment.line == lines:
        return Span(comment.line, len(before.rstrip()) + 1, comment.line, len(line) + 1)
    return Span(comment.line, 1, comment.line + 1, 1)


def _fix(title: str, span: Span, doubt: str = "") -> Fix:
    return Fix(title, (Edit(span, ""),), safe=not doubt, doubt=doubt)
