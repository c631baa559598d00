"""The statements of a file as lines of text; of compound ones the headers."""

from __future__ import annotations

import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torchlint.tokens import tokens_of

# A formatter adds one when it spreads a call over lines, and removes it again.
_LAST_COMMA = re.compile(r",(?=[)\]}])")
_NOTHING = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER})
# Since Python 3.12 an f-string is several tokens, with newlines of code between them; since 3.14 so is a t-string.
_OPENING = {getattr(tokenize, name, None) for name in ("FSTRING_START", "TSTRING_START")} - {None}
_CLOSING = {getattr(tokenize, name, None) for name in ("FSTRING_END", "TSTRING_END")} - {None}


@dataclass(frozen=True, slots=True)
class Statement:
    """The lines of a statement, its comments as line and column from 0, and the lines that may end with a comment.

    No comment may follow a backslash, or a line that ends within a string.
    """

    first: int
    last: int
    comments: tuple[tuple[int, int], ...] = ()
    open_ended: frozenset[int] = frozenset()


class Statements:
    """The statements of a text; if it is no Python any more, every line counts as one."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._statements = list(_statements(text))
        self._firsts = [one.first for one in self._statements]

    def around(self, line: int) -> Statement:
        """Return the statement of a line."""
        index = bisect_right(self._firsts, line) - 1
        if index >= 0 and line <= self._statements[index].last:
            return self._statements[index]
        return Statement(line, line)

    def essence(self, line: int) -> str:
        """Return the statement of a line, without comments, white space and other layout."""
        found = self.around(line)
        ends = dict(found.comments)
        lines = (self._lines[one - 1][: ends.get(one)] for one in range(found.first, found.last + 1))
        return _LAST_COMMA.sub("", "".join("".join(line.removesuffix("\\").split()) for line in lines))


def _statements(text: str) -> Iterator[Statement]:
    tokens: list[tokenize.TokenInfo] = []
    try:
        for token in tokens_of(text):
            if token.type == tokenize.NEWLINE:
                yield _statement([*tokens, token])
                tokens = []
            elif tokens or token.type not in _NOTHING:
                tokens.append(token)
    except (tokenize.TokenError, SyntaxError):
        return


def _statement(tokens: Sequence[tokenize.TokenInfo]) -> Statement:
    comments = [token.start for token in tokens if token.type == tokenize.COMMENT]
    open_ended, depth = set(), 0
    for token in tokens:
        depth += (token.type in _OPENING) - (token.type in _CLOSING)
        if token.type in (tokenize.NL, tokenize.NEWLINE) and not depth:
            open_ended.add(token.start[0])
    return Statement(tokens[0].start[0], tokens[-1].start[0], tuple(comments), frozenset(open_ended))
