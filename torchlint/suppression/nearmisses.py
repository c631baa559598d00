"""Comments that are misspelt directives of ours: they would suppress nothing, without a message."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from torchlint.finding import Span
from torchlint.nearest import nearest
from torchlint.suppression.comments import Comment

VERBS = ("ignore", "file-ignore", "disable", "enable")
BLANKET = frozenset({"all", "*"})
"""Other tools' names for every rule; ours are named one by one."""
# The keywords of other linters, and the verb of ours that does the same.
_OTHERS = {
    "noqa": "ignore",
    "nolint": "ignore",
    "skip": "ignore",
    "ignore-line": "ignore",
    "ignore-next": "ignore",
    "ignore-next-line": "ignore",
    "disable-line": "ignore",
    "disable-next": "ignore",
    "disable-next-line": "ignore",
    "ignore-file": "file-ignore",
    "disable-file": "file-ignore",
    "file-noqa": "file-ignore",
    "skip-file": "file-ignore",
}
_SAID = re.compile(r"#[ \t]*torchlint(?![\w.])[ \t]*(:?)[ \t=-]*([a-z][\w-]*)", re.IGNORECASE)
_NAMES = re.compile(r"[ \t]*([\[({<:=]?)[ \t]*((?:[\w*-]+(?:[ \t]*,[ \t]*[\w*-]+)*)?,?)[ \t]*([\])}>]?)")


@dataclass(frozen=True, slots=True)
class Meant:
    """What a comment was meant to be, and the span of its text; without names, it is for every rule."""

    verb: str
    names: tuple[str, ...]
    comment: Comment
    stretch: range

    @property
    def span(self) -> Span:
        """Return its position."""
        return self.comment.span(self.stretch.start, self.stretch.stop)


def nearly(comment: Comment, start: int, known: Collection[str]) -> Meant | None:
    """Return what a comment means from an index on, or None if it is prose; `known` are existing names."""
    if (said := _SAID.match(comment.text, start)) is None:
        return None
    has_colon, word = bool(said[1]), normal(said[2])
    verb = _OTHERS.get(word) or nearest(word, VERBS)
    found = _NAMES.match(comment.text, said.end())
    if verb is None or found is None:
        return None
    opening, names = found[1], tuple(name.strip() for name in found[2].split(",") if name.strip())
    if opening == "[" or _is_named(names, opening, known):
        return Meant(verb, tuple(_listed(names)), comment, range(start, found.end()))
    # Without a name, only the exact keywords are no prose: `torchlint ignores this` is.
    is_exact = word in VERBS or word in _OTHERS
    is_whole = not comment.text[said.end() :].partition("#")[0].strip()
    if (is_exact and is_whole) or (has_colon and (word in VERBS or word == "noqa" or is_whole)):
        return Meant(verb, (), comment, range(start, said.end()))
    return None


def normal(word: str) -> str:
    """Return a name or a verb in our spelling."""
    return word.lower().replace("_", "-")


def _is_named(names: tuple[str, ...], opening: str, known: Collection[str]) -> bool:
    """Tell whether what follows a verb are names of rules; without any sign before it, a group may be just a word."""
    return bool(names) and normal(names[0]) in known and (bool(opening) or "-" in normal(names[0]))


def _listed(names: tuple[str, ...]) -> tuple[str, ...]:
    return () if any(name in BLANKET for name in names) else names
