"""Text inside HTML and XML: no markup, nothing that moves the text around it, no character that XML rejects."""

from __future__ import annotations

import re
from html import escape

from torchlint.terminal.text import printable

_CODE = re.compile(r"`([^`]+)`")
# Of the characters that `printable` keeps, XML 1.0 forbids these two.
_REFUSED = str.maketrans({"\ufffe": "\ufffd", "\uffff": "\ufffd"})


def inline(text: str) -> str:
    """Return a text as markup, on one line; it is valid in an attribute, too."""
    return escape(printable(text).translate(_REFUSED))


def code(text: str) -> str:
    """Return a part of a line of source as markup, its tabs kept."""
    return "&#9;".join(map(inline, text.split("\t")))


def phrase(text: str) -> str:
    """Return words as HTML, on one line, with text between backticks as code."""
    return _CODE.sub(r"<code>\1</code>", inline(text))
