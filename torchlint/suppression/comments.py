"""The comments of a file, and the statement of each."""

from __future__ import annotations

import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from torchlint.finding import Span
from torchlint.tokens import tokens_of

_BETWEEN = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER})


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment from its `#` on; line and column start at 1.

    `lines` are those of the statement around it, or else of the next one: of a compound statement its header, with the
    decorators. `is_alone` says that no code precedes it in its statement.
    """

    text: str
    line: int
    column: int
    is_alone: bool
    lines: range = range(0)

    def span(self, start: int, end: int) -> Span:
        """Return the span of a part of the text."""
        return Span(self.line, self.column + start, self.line, self.column + end)


@dataclass(slots=True)
class _Statement:
    """The statement that is being read; `first` is its first line, 0 before it begins."""

    first: int = 0
    is_decorator: bool = False
    decorated: int = 0
    comments: list[Comment] = field(default_factory=list)

    def lines(self, last: int) -> range:
        """Return its lines, from the first decorator on."""
        return range(self.decorated or self.first, last + 1)


def comments_of(text: str) -> tuple[list[Comment], bool]:
    """Return the comments of a file, and whether all of them could be found."""
    found: list[Comment] = []
    try:
        found.extend(_comments(text))
    except (tokenize.TokenError, SyntaxError):
        return found, False
    return found, True


def _comments(text: str) -> Iterator[Comment]:
    statement = _Statement()
    for token in tokens_of(text):
        line, column = token.start
        if token.type == tokenize.COMMENT:
            statement.comments.append(Comment(token.string, line, column + 1, statement.first == 0))
        elif token.type == tokenize.NEWLINE:
            if statement.is_decorator:
                first = statement.decorated or statement.first
                statement = _Statement(decorated=first, comments=statement.comments)
                continue
            yield from (replace(comment, lines=statement.lines(line)) for comment in statement.comments)
            statement = _Statement()
        elif token.type not in _BETWEEN and not statement.first:
            statement.first, statement.is_decorator = line, token.string == "@"
    yield from statement.comments
