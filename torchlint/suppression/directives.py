"""The directives of comments: which rules to suppress, and where."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from torchlint.finding import Span
from torchlint.suppression.comments import Comment
from torchlint.suppression.nearmisses import VERBS, Meant, nearly

_MARK = re.compile(r"#[ \t]*torchlint", re.IGNORECASE)
_OURS = re.compile(r"#[ \t]*torchlint[ \t]*:[ \t]*([\w-]+)[ \t]*(?:\[([^\[\]#]*)(\]?))?")
_NOQA = re.compile(r"#[ \t]*noqa(?![\w-])(?:[ \t]*:[ \t]*([\w-]+(?:[ \t,]+[\w-]+)*))?", re.IGNORECASE)
_NAME = re.compile(r"[^\s,]+")
# After an unclosed bracket, what follows the last comma and a word is prose.
_LIST = re.compile(r"[ \t]*[\w-]+(?:[ \t]*,[ \t]*[\w-]+)*,?")
_OUTCOMES = {"file-ignore": "ignores", "disable": "disables", "enable": "enables"}
_LONGEST_QUOTE = 40


@dataclass(frozen=True, slots=True)
class Order:
    """One rule or group that a comment of ours names, and its position; the empty name is every rule.

    An order of `noqa` is for other linters as well, and is never reported.
    """

    verb: str
    name: str
    comment: Comment
    span: Span


@dataclass(frozen=True, slots=True)
class Mistake:
    """A comment without effect, and why.

    `order` is what can be removed without a loss, if there is such a thing, or be replaced by `name`, of which there
    may be a `doubt`; `meant` is what the whole comment was meant to be, from which the advice follows.
    """

    span: Span
    message: str
    order: Order | None = None
    name: str = ""
    meant: Meant | None = None
    doubt: str = ""


Directive: TypeAlias = "Order | Mistake"


def directives(comment: Comment, known: Collection[str] = ()) -> Iterator[Directive]:
    """Yield the directives of a comment, or what is wrong with it; `known` are the names that it may contain."""
    for mark in _MARK.finditer(comment.text):
        found = _OURS.match(comment.text, mark.start())
        if found is not None and found[1] in VERBS and _NAME.search(found[2] or ""):
            yield from _ours(comment, found)
        elif (meant := nearly(comment, mark.start(), known)) is not None:
            yield Mistake(*_miss(comment, meant, found), meant=meant)
    for found in _NOQA.finditer(comment.text):
        if found[1] is None:
            yield Order("noqa", "", comment, comment.span(*found.span()))
        else:
            yield from _orders("noqa", comment, found, 1)


def stretch_at(comment: Comment, at: int) -> tuple[range, tuple[range, ...]]:
    """Return the span of the directive of ours that is at an index of a comment, and the spans of its names."""
    found = _stretches(comment)
    return found[bisect_right(found, at, key=lambda one: one[0].start) - 1]


@lru_cache(maxsize=1)
def _stretches(comment: Comment) -> tuple[tuple[range, tuple[range, ...]], ...]:
    """Return the spans of our directives in a comment; one comment may have thousands."""
    return tuple((range(*found.span()), tuple(_names_in(found))) for found in _OURS.finditer(comment.text))


def _names_in(found: re.Match[str]) -> Iterator[range]:
    start = found.start(2)
    yield from (range(start + name.start(), start + name.end()) for name in _NAME.finditer(found[2] or ""))


def whole_of(order: Order) -> range | None:
    """Return the whole span of an order's directive, None if it names others as well."""
    whole, names = stretch_at(order.comment, order.span.column - order.comment.column)
    return whole if len(names) == 1 else None


def _ours(comment: Comment, found: re.Match[str]) -> Iterator[Directive]:
    verb, names, closing = found[1], found[2], found[3]
    span, stretch = comment.span(*found.span()), range(*found.span())
    if not closing:
        listed = _LIST.match(comment.text, found.start(2))
        end = listed.end() if listed else found.end()
        listing = comment.text[found.start(2) : end]
        meant = Meant(verb, tuple(_NAME.findall(listing)), comment, range(found.start(), end))
        yield Mistake(span, f"{_quoted(meant)} ignores nothing as its bracket is open", meant=meant)
    elif verb != "ignore" and not comment.is_alone:
        meant = Meant(verb, tuple(_NAME.findall(names)), comment, stretch)
        yield Mistake(span, f"{_quoted(meant)} {_OUTCOMES[verb]} nothing within a statement", meant=meant)
    else:
        yield from _orders(verb, comment, found, 2)


def _miss(comment: Comment, meant: Meant, found: re.Match[str] | None) -> tuple[Span, str]:
    """Return the position at which a comment differs from what it means, and why it is wrong."""
    nothing = f"{_quoted(meant)} ignores nothing"
    if found is None:
        return meant.span, nothing
    if found[1] not in VERBS:
        return comment.span(*found.span(1)), nothing
    return meant.span, nothing if meant.names else f"{nothing} as it names no rule"


def _quoted(meant: Meant) -> str:
    """Return a comment as it is written, without its end if it is long."""
    text = meant.comment.text[meant.stretch.start : meant.stretch.stop].rstrip()
    return f"`{text if len(text) <= _LONGEST_QUOTE else f'{text[: _LONGEST_QUOTE - 1]}…'}`"


def _orders(verb: str, comment: Comment, found: re.Match[str], group: int) -> Iterator[Order]:
    start = found.start(group)
    for name in _NAME.finditer(found[group]):
        yield Order(verb, name[0], comment, comment.span(start + name.start(), start + name.end()))
