"""Which parts of a program are keywords, strings, numbers and comments."""

from __future__ import annotations

import keyword
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from torchlint.tokens import tokens_of

Parts: TypeAlias = "Mapping[int, Sequence[tuple[range, str]]]"
"""By line number, from 1, what is on it, and its kind."""

# Formatted strings are tokens of their own since Python 3.12.
_TEXTS = ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END", "TSTRING_START", "TSTRING_MIDDLE", "TSTRING_END")
_KINDS = {
    tokenize.COMMENT: "comment",
    tokenize.NUMBER: "digits",
    **{kind: "text" for name in _TEXTS if (kind := getattr(tokenize, name, None)) is not None},
}


class Highlights:
    """The parts of files; those of the last one are kept, as its findings follow each other."""

    def __init__(self) -> None:
        self._lines: Sequence[str] = ()
        self._parts: Parts = {}

    def of(self, lines: Sequence[str]) -> Parts:
        """Return the parts of a program, given its lines; none after a place that is no Python."""
        if lines is not self._lines:
            self._lines, self._parts = lines, _parts(lines)
        return self._parts


def _parts(lines: Sequence[str]) -> Parts:
    parts: dict[int, list[tuple[range, str]]] = {}
    try:
        for token in tokens_of("\n".join(lines)):
            kind = "word" if token.type == tokenize.NAME and keyword.iskeyword(token.string) else _KINDS.get(token.type)
            if kind is not None:
                for number, stretch in _stretches(token, lines):
                    parts.setdefault(number, []).append((stretch, kind))
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return parts


def _stretches(token: tokenize.TokenInfo, lines: Sequence[str]) -> Iterator[tuple[int, range]]:
    """Yield the lines of a token, and which characters of each it has."""
    (first, start), (last, end) = token.start, token.end
    for number in range(first, min(last, len(lines)) + 1):
        yield number, range(start if number == first else 0, end if number == last else len(lines[number - 1]))
