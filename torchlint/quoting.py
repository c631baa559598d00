"""Quote the user's code in a message: in backticks, on one line, short enough to be read quickly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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


@dataclass(slots=True)
class _Brackets:
    """A pair of brackets: how deep, the text between, those around, and by how much the text was shortened."""

    depth: int
    start: int
    outer: _Brackets | None
    end: int = 0
    saved: int = 0

    @property
    def length(self) -> int:
        return self.end - self.start - self.saved


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
    if len(text) <= LONGEST:
        return text
    kept = _with_emptied(text, _emptied(text, len(text) - LONGEST))
    return kept if len(kept) <= LONGEST else _without_middle(kept)


def _emptied(text: str, excess: int) -> list[_Brackets]:
    """Return the brackets to empty until a text is shorter by so much: the deepest first, of these the longest."""
    by_depth: dict[int, list[_Brackets]] = {}
    for one in _brackets(text):
        by_depth.setdefault(one.depth, []).append(one)
    emptied: list[_Brackets] = []
    for depth in sorted(by_depth, reverse=True):
        for one in sorted(by_depth[depth], key=lambda one: (one.length, one.start), reverse=True):
            if excess > 0 and one.length > 1:
                excess -= one.length - 1
                one.saved += one.length - 1
                emptied.append(one)
            if one.outer is not None:
                one.outer.saved += one.saved
    return emptied


def _with_emptied(text: str, emptied: Iterable[_Brackets]) -> str:
    """Return a text with an ellipsis in some of its brackets."""
    pieces, done = list[str](), 0
    for one in sorted(emptied, key=lambda one: one.start):
        if one.start >= done:
            pieces += (text[done : one.start], "…")
            done = one.end
    return "".join([*pieces, text[done:]])


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


def _brackets(text: str) -> Iterator[_Brackets]:
    """Yield pairs of brackets, the inner ones before those around them."""
    opened: list[_Brackets] = []
    for found in _STRING_OR_BRACKET.finditer(text):
        if found[0] in "([{":
            opened.append(_Brackets(len(opened), found.end(), opened[-1] if opened else None))
        elif found[0] in ")]}" and opened:
            opened[-1].end = found.start()
            yield opened.pop()
