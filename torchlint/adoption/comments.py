"""Write comments that ignore findings."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from torchlint.adoption.statements import Statement, Statements
from torchlint.engine.depth import in_deep_thread
from torchlint.finding import Edit, Finding, Span
from torchlint.fixing.draft import CannotBeKeptError, Draft
from torchlint.notices import NOTICES
from torchlint.source import UnreadableSourceError, read_source
from torchlint.suppression.comments import comments_of
from torchlint.suppression.directives import Order, directives
from torchlint.trees import tree_of

_VERB = "ignore"


class CannotIgnoreError(Exception):
    """A file was not changed: the message says why."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A file with comments, and how many of its findings they ignore; findings without a rule get no comment."""

    after: bytes
    findings: int


def with_ignores(shown: str, data: bytes, findings: Iterable[Finding], reason: str = "") -> Ignored:
    """Return the bytes of a file with a comment at each statement that has findings; nothing else changes.

    Raises `CannotIgnoreError` for a file in which no comment can be written.
    """
    wanted = [finding for finding in findings if finding.rule not in NOTICES]
    if not wanted:
        return Ignored(data, 0)
    try:
        source = read_source(shown, data)
        after = Draft(shown, data).edited(_edits(source.text, wanted, f" {reason}" if reason else ""))
    except UnreadableSourceError as error:
        raise CannotIgnoreError(error.reason) from error
    except CannotBeKeptError as error:
        raise CannotIgnoreError(str(error)) from error
    if not _means_the_same(shown, data, after):
        raise CannotIgnoreError("would not mean the same with a comment")
    return Ignored(after, len(wanted))


def _edits(text: str, findings: Sequence[Finding], reason: str) -> Iterator[Edit]:
    statements, lines, orders = Statements(text), text.split("\n"), _orders(text)
    rules: dict[Statement, dict[str, int]] = {}
    for finding in findings:
        rules.setdefault(statements.around(finding.span.line), {}).setdefault(finding.rule, finding.span.line)
    for statement, names in rules.items():
        if (order := orders.get(statement.last)) is not None:
            end = Span(order.span.end_line, order.span.end_column, order.span.end_line, order.span.end_column)
            yield Edit(end, "".join(f", {name}" for name in names))
            continue
        line = next((line for line in names.values() if line in statement.open_ended), statement.last)
        code = lines[line - 1].rstrip()
        span = Span(line, len(code) + 1, line, len(lines[line - 1]) + 1)
        yield Edit(span, f"  # torchlint: {_VERB}[{', '.join(names)}]{reason}")


def _orders(text: str) -> Mapping[int, Order]:
    """Return the last name in the existing comments, by the last line of their statements."""
    found = (order for comment in comments_of(text)[0] for order in directives(comment))
    return {
        order.comment.lines[-1]: order
        for order in found
        if isinstance(order, Order) and order.verb == _VERB and order.comment.lines
    }


def _means_the_same(shown: str, before: bytes, after: bytes) -> bool:
    try:
        one, other = in_deep_thread(lambda: [_dumped(shown, data) for data in (before, after)])
    except (SyntaxError, ValueError, RecursionError, MemoryError, UnreadableSourceError):
        return False
    return one == other


def _dumped(shown: str, data: bytes) -> str:
    return ast.dump(tree_of(read_source(shown, data).text))
