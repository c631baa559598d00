"""Which rules a file may concern, by its bytes, before it is decoded or parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlint.rule import Rule
from torchlint.words import TORCH_WORDS

if TYPE_CHECKING:
    from torchlint.project.library import Library


# In fewer bytes, to search for each word takes less time than to collect the names.
_SHORT = 4_000
_NAME = re.compile(rb"\w+")


class Prefilter:
    """Knows the words of rules, and of their projects."""

    def __init__(self, rules: Iterable[Rule], library: Library) -> None:
        self._words = [(rule, _encoded(rule.words), _encoded(rule.project_words)) for rule in rules]
        every = {word for _, words, others in self._words for word in (*words, *others)} | _TORCH
        self._names = [word for word in every if _NAME.fullmatch(word)]
        self._texts = [word for word in every if not _NAME.fullmatch(word)]
        self._in_names: dict[bytes, tuple[bytes, ...]] = {}
        self._library = library

    def rules_for(self, data: bytes) -> list[Rule]:
        """Return the rules that a file may concern."""
        # No source contains a NUL, and a file with one may be UTF-16, with a NUL between any two letters of a word.
        if b"\0" in data:
            return [rule for rule, _, _ in self._words]
        held = self._held(data)
        spoken_of = [(rule, others) for rule, words, others in self._words if not held.isdisjoint(words)]
        if not spoken_of or (held.isdisjoint(_TORCH) and not self._library.says_any(TORCH_WORDS)):
            return []
        return [rule for rule, others in spoken_of if not others or self._is_of_project(rule, others, held)]

    def _held(self, data: bytes) -> set[bytes]:
        """Return the words of rules that a file contains."""
        held = {word for word in self._texts if word in data}
        if len(data) < _SHORT:
            return held.union(word for word in self._names if word in data)
        # A long file has few names, each many times, and most are those of other files. A word is part of one.
        names = {*_NAME.findall(data)}
        self._read(names - self._in_names.keys())
        return held.union(*(self._in_names[name] for name in names))

    def _read(self, names: set[bytes]) -> None:
        """Note which words are parts of names that no file before had."""
        joined = b"\n".join(names)
        words = [word for word in self._names if word in joined]
        self._in_names.update((name, tuple([word for word in words if word in name])) for name in names)

    def _is_of_project(self, rule: Rule, words: frozenset[bytes], held: set[bytes]) -> bool:
        """Tell whether any file contains one of the words that the rule requires in its project; this one was read."""
        return not held.isdisjoint(words) or self._library.says_any(rule.project_words)


def _encoded(words: Iterable[str]) -> frozenset[bytes]:
    return frozenset(word.encode() for word in words)


_TORCH = _encoded(TORCH_WORDS)
