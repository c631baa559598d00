"""The tokens of a program, in the grammar of the running Python or of a newer one: the only source of tokens."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator


def tokens_of(text: str) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a program; those of formatted strings that are newer than the running Python mean nothing.

    Raises what `tokenize` does for what is no program, once the tokens before that are yielded.
    """
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        found = []
    # Before Python 3.12 an unknown character is such a token, and no error.
    if found and not any(token.type == tokenize.ERRORTOKEN and token.string.strip() for token in found):
        yield from found
    else:
        yield from tokenize.generate_tokens(io.StringIO(_without_newer_texts(text) or text).readline)


def _without_newer_texts(text: str) -> str | None:
    # Loaded only if tokens are wrong.
    from torchlint import newer

    return newer.without_texts(text)
