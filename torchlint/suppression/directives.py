"""What a comment orders: which rules to silence, and how far."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from torchlint.finding import Span
from torchlint.suppression.comments import Comment

VERBS = ("ignore", "file-ignore", "disable", "enable")
_OURS = re.compile(r"#[ \t]*torchlint[ \t]*:[ \t]*([\w-]+)[ \t]*(?:\[([^\[\]#]*)(\]?))?")
_NOQA = re.compile(r"#[ \t]*noqa(?![\w-])(?:[ \t]*:[ \t]*([\w-]+(?:[ \t,]+[\w-]+)*))?", re.IGNORECASE)
_NAME = re.compile(r"[^\s,]+")
_OUTCOMES = {"file-ignore": "ignores", "disable": "disables", "enable": "enables"}
_PATTERN = "# torchlint: {}[rule]"


@dataclass(frozen=True, slots=True)
class Order:
    """One rule or group that a comment of ours names, and where; the empty name is every rule.

    An order of `noqa` speaks to other linters as well, and is never found fault with.
    """

    verb: str
    name: str
    comment: Comment
    span: Span


@dataclass(frozen=True, slots=True)
class Mistake:
    """A comment that orders nothing, and why; `order` is what can go without a loss, where there is such a thing."""

    span: Span
    message: str
    order: Order | None = None


Directive: TypeAlias = "Order | Mistake"


def directives(comment: Comment) -> Iterator[Directive]:
    """Yield what a comment orders, or what is wrong with it."""
    for found in _OURS.finditer(comment.text):
        yield from _ours(comment, found)
    for found in _NOQA.finditer(comment.text):
        if found[1] is None:
            yield Order("noqa", "", comment, comment.span(*found.span()))
        else:
            yield from _orders("noqa", comment, found, 1)


def stretches(comment: Comment) -> Iterator[tuple[range, list[range]]]:
    """Yield where each of our directives stands in a comment, and where in it the names do."""
    for found in _OURS.finditer(comment.text):
        start = found.start(2)
        names = [range(start + name.start(), start + name.end()) for name in _NAME.finditer(found[2] or "")]
        yield range(*found.span()), names


def _ours(comment: Comment, found: re.Match[str]) -> Iterator[Directive]:
    verb, names, closing = found[1], found[2], found[3]
    span = comment.span(*found.span())
    if verb not in VERBS:
        if (meant := _meant(verb)) is not None:
            yield Mistake(comment.span(*found.span(1)), f"ignores nothing: write `{_PATTERN.format(meant)}`")
    elif names is None or not _NAME.search(names):
        yield Mistake(span, f"ignores nothing as it names no rule: write `{_PATTERN.format(verb)}`")
    elif not closing:
        yield Mistake(span, f"ignores nothing as its bracket is open: write `{_PATTERN.format(verb)}`")
    elif verb != "ignore" and not comment.is_alone:
        yield Mistake(span, f"{_OUTCOMES[verb]} nothing within a statement: put it on a line of its own")
    else:
        yield from _orders(verb, comment, found, 2)


def _orders(verb: str, comment: Comment, found: re.Match[str], group: int) -> Iterator[Order]:
    start = found.start(group)
    for name in _NAME.finditer(found[group]):
        yield Order(verb, name[0], comment, comment.span(start + name.start(), start + name.end()))


def _meant(verb: str) -> str | None:
    """Return the verb that a misspelled one is near to: whatever else follows our name is prose."""
    from difflib import get_close_matches

    near = get_close_matches(verb.lower().replace("_", "-"), VERBS, 1)
    return near[0] if near else None
