"""What only an older Python reads: `async` as a name, `print` as a statement."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from itertools import pairwise

from torchlint.finding import Span
from torchlint.tokens import tokens_of

# A name before Python 3.7: https://docs.python.org/3/whatsnew/3.7.html
_ASYNC = re.compile(r"\basync(?=[ \t]*=(?!=))")
# A statement before Python 3.0. What begins an operator, or is in brackets, makes it an expression in any Python.
_PRINT = re.compile(r"(?m)(^|[:;])([ \t]*)print[ \t](?=[ \t]*(?!(?:if|in|is|and|or|for|else)\b)[\w\"'{`])")
_RENAMED = "_sync"
_ASYNC_SAID = "`async` is a keyword since Python 3.7: "
_LONGEST_CALL = 400
_OF_PYTORCH = re.compile(r"\.(cuda|to|type|copy_)\([^()]*$")


def said_of_async(text: str, line: int, column: int) -> str | None:
    """Return the message about `async = …` at or around a position: CPython stops at the word or at the sign."""
    lines = text.split("\n")
    names = _ASYNC.finditer(lines[line - 1]) if line <= len(lines) else ()
    here = (one for one in names if one.start() < column and not lines[line - 1][one.end() : column - 1].strip())
    name = next(here, None)
    return None if name is None else _advice(lines, line, name.start())


def later_async(text: str, line: int, column: int) -> Iterator[tuple[Span, str]]:
    """Yield the places of `async = …` behind a position, with the message about each."""
    lines = text.split("\n")
    for row, start in _names(text):
        if (row, start) > (line, column):
            yield Span(row, start + 1, row, start + 1 + len("async")), _advice(lines, row, start)


def of_older_python(text: str) -> str:
    """Return a text with `async` renamed where it is a name, and `print x` a tuple; every position is kept."""
    return _PRINT.sub(r"\1\2print,", _ASYNC.sub(_RENAMED, text))


def as_written(message: str) -> str:
    """Return a message about a text of older Python, with the quoted code as in the file."""
    return re.sub(rf"\b{_RENAMED}(?==)", "async", message)


def _names(text: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of `async` where it is a name, as far as the text has tokens."""
    try:
        for token, following in pairwise(tokens_of(text)):
            if token.string == "async" and following.string == "=":
                yield token.start
    except (tokenize.TokenError, SyntaxError):
        return


def _advice(lines: list[str], line: int, start: int) -> str:
    """Return the message about the word on a line, by the call that it is in."""
    above = lines[max(line - 1 - _LONGEST_CALL, 0) : line - 1]
    before = "\n".join((*above, lines[line - 1][:start]))
    is_of_pytorch = _OF_PYTORCH.search(before[-_LONGEST_CALL:]) is not None
    return _ASYNC_SAID + ("use `non_blocking`" if is_of_pytorch else "rename it")
