"""Which rules a file may concern, by its bytes, before it is decoded or parsed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlint.rule import Rule
from torchlint.words import TORCH_WORDS

if TYPE_CHECKING:
    from torchlint.project.library import Library


class Prefilter:
    """Knows the words of rules, and of their projects."""

    def __init__(self, rules: Iterable[Rule], library: Library) -> None:
        self._words = [(rule, _encoded(rule.words), _encoded(rule.project_words)) for rule in rules]
        self._library = library

    def rules_for(self, data: bytes) -> list[Rule]:
        """Return the rules that a file may concern."""
        # No source contains a NUL, and a file with one may be UTF-16, with a NUL between any two letters of a word.
        if b"\0" in data:
            return [rule for rule, _, _ in self._words]
        spoken_of = [(rule, others) for rule, words, others in self._words if _holds(data, words)]
        if not spoken_of or not (_holds(data, _TORCH) or self._library.says_any(TORCH_WORDS)):
            return []
        return [rule for rule, others in spoken_of if not others or self._is_of_project(rule, others, data)]

    def _is_of_project(self, rule: Rule, words: tuple[bytes, ...], data: bytes) -> bool:
        """Tell whether any file contains one of the words that the rule requires in its project; this one was read."""
        return _holds(data, words) or self._library.says_any(rule.project_words)


def _holds(data: bytes, words: tuple[bytes, ...]) -> bool:
    return any(word in data for word in words)


def _encoded(words: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(word.encode() for word in words)


_TORCH = _encoded(TORCH_WORDS)
