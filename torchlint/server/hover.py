"""The hover text: the page of the rule that is named at the position, or that has a finding there."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from torchlint.finding import Finding, Span
from torchlint.server.page import page
from torchlint.server.projects import Checked
from torchlint.suppression.comments import comments_of
from torchlint.suppression.directives import Order, directives


def hover(checked: Checked, uri: str, position: lsp.Position) -> lsp.Hover | None:
    """Return the hover text of a position in a buffer, if there is any."""
    if (place := checked.document.place(uri, position)) is None:
        return None
    named = next((order for order in _orders(checked) if _holds(order.span, place)), None)
    if named is not None and (text := page(named.name)) is not None:
        return _shown(text, checked, named.span)
    found = _found_at(checked, place)
    pages = [text for rule in dict.fromkeys(one.rule for one in found) if (text := page(rule, programs_too=False))]
    return _shown("\n\n---\n\n".join(pages), checked, found[0].span) if pages else None


def _orders(checked: Checked) -> Iterator[Order]:
    """Yield the directives of a file's comments, name by name."""
    for comment in comments_of(checked.document.program)[0]:
        yield from (order for order in directives(comment) if isinstance(order, Order))


def _found_at(checked: Checked, place: tuple[int, int]) -> list[Finding]:
    """Return the findings that contain a position, or else those that begin on its line."""
    findings = checked.report.findings
    inside = [finding for finding in findings if _holds(finding.span, place)]
    return inside or [finding for finding in findings if finding.span.line == place[0]]


def _holds(span: Span, place: tuple[int, int]) -> bool:
    return (span.line, span.column) <= place <= (span.end_line, span.end_column)


def _shown(text: str, checked: Checked, span: Span) -> lsp.Hover:
    markdown = lsp.MarkupContent(lsp.MarkupKind.Markdown, text)
    return lsp.Hover(markdown, checked.document.location(span).range)
