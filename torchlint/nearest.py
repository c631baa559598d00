"""Guess what a misspelt name was meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

_MOST_SUGGESTED = 3


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to a name, or None if none is near; case and `_` never matter."""
    return _nearest(name.lower().replace("_", "-"), tuple(known))


# One file may have a misspelt name thousands of times.
@lru_cache(maxsize=256)
def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return near[0] if near else None


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the question whether a known name was meant, a similar one or some with the same words; or nothing."""
    known = [*known]
    near = nearest(name, known)
    meant = [near] if near else _with_the_words_of(name, known)[:_MOST_SUGGESTED]
    if not meant:
        return ""
    *others, last = (f"`{one}`" for one in meant)
    return f"did you mean {', '.join(others)}{' or ' if others else ''}{last}?"


def _with_the_words_of(name: str, known: Iterable[str]) -> list[str]:
    """Return the names in which each word of a name begins a word: `kept` was meant as `kept-graph`."""
    words = [f"-{word}" for word in name.lower().replace("_", "-").split("-") if word]
    return [one for one in known if words and all(word in f"-{one}" for word in words)]
