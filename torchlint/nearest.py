"""Guess what a misspelt name was meant to be."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to a name, or None if none is near; case and `_` never matter."""
    from difflib import get_close_matches

    near = get_close_matches(name.lower().replace("_", "-"), known, n=1)
    return near[0] if near else None
