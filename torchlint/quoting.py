"""Quote the user's code in a message: in backticks, on one line, short enough to be read quickly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

LONGEST = 40
"""The most characters of code that a message quotes."""
# Spaces that come only from a line break or a comment, inside brackets and before dots.
_FOLDED = re.compile(r"(?<=[(\[{])\s+|,?\s+(?=[)\]}])|\s+(?=\.\w)")
_SUBJECT = re.compile(r"`[^`]*`")
_STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_STRING_OR_BRACKET = re.compile(rf"{_STRING.pattern}|[(\[{{]|[)\]}}]")
# A chain of names that goes on behind an operator would be read as one.
_OPERATOR = re.compile(r" (?:[-+*/%@&|^<>=!:]+|is not|is|not in|in|and|or|if) ")


class Written(Protocol):
    """Anything with code in a file: a `Place`, a `Call`."""

    @property
    def code(self) -> str:
        """Return its source text, with spaces in place of its comments."""


def quoted(code: Written | str) -> str:
    """Return code in backticks, for a message: on one line, and of at most 40 characters.

    Of longer code, the innermost arguments are left out first, `model(rows.to(…)).detach()`, then those around them,
    and what is still too long loses its middle.
    """
    text = code if isinstance(code, str) else code.code
    # A backtick would end the quotation.
    return f"`{_shortened(_on_one_line(text).replace('`', chr(39)))}`"


def subject(message: str) -> str:
    """Return the subject of a message: the code in backticks at its start, or else its first half."""
    found = _SUBJECT.match(message)
    return found[0] if found else message.partition("; ")[0]


def _on_one_line(text: str) -> str:
    return " ".join((_FOLDED.sub("", text) if "\n" in text else text).split())


def _shortened(text: str) -> str:
    while len(text) > LONGEST:
        brackets = max(_brackets(text), default=None)
        if brackets is None:
            return _without_middle(text)
        _, _, start, end = brackets
        text = f"{text[:start]}…{text[end:]}"
    return text


def _without_middle(text: str) -> str:
    """Return the start of a long operation, `total = …`; of a long chain of names and calls, both ends."""
    masked = _STRING.sub(lambda found: "_" * len(found[0]), text)
    operators = list(_OPERATOR.finditer(masked))
    if not operators:
        return _ends(text, LONGEST)
    last = next((one for one in reversed(operators) if one.end() < LONGEST), None)
    if last is not None:
        return f"{text[: last.end()]}…"
    first = operators[0]
    return f"{_ends(text[: first.start()], LONGEST - len(first[0]) - 1)}{first[0]}…"


def _ends(text: str, longest: int) -> str:
    head, tail = text[: longest // 2 - 1], text[-(longest // 2) :]
    return f"{head.rpartition('.')[0] or head}…{tail[max(tail.find('.'), 0) :]}"


def _brackets(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield the brackets that may be emptied: their depth, length, start and end."""
    opened: list[int] = []
    for found in _STRING_OR_BRACKET.finditer(text):
        if found[0] in "([{":
            opened.append(found.end())
        elif found[0] in ")]}" and opened:
            start, end = opened.pop(), found.start()
            if end - start > 1:
                yield len(opened), end - start, start, end
