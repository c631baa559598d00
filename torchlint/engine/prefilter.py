"""Which rules a file may make speak, as its bytes say, before it is decoded or parsed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlint.rule import Rule

if TYPE_CHECKING:
    from torchlint.model.library import Library

# Code that uses PyTorch says so, or names what brings PyTorch along, somewhere in its project.
_TORCH_WORDS = (b"torch", b"cuda", b"ightning", b"ccelerat", b"ransformers", b"iffusers", b"fastai", b"ultralytics")


class Prefilter:
    """Knows the words of rules, and whether a project has to do with PyTorch at all."""

    def __init__(self, rules: Iterable[Rule], library: Library) -> None:
        self._words = [(rule, tuple(word.encode() for word in rule.words)) for rule in rules]
        self._library = library

    def rules_for(self, data: bytes) -> list[Rule]:
        """Return the rules that a file may make speak."""
        # No source holds a NUL, and what holds one may be UTF-16, with a NUL between any two letters of a word.
        if b"\0" in data:
            return [rule for rule, _ in self._words]
        rules = [rule for rule, words in self._words if any(word in data for word in words)]
        return rules if rules and (_says_torch(data) or self._library.says_any(_TORCH_WORDS)) else []


def _says_torch(data: bytes) -> bool:
    return any(word in data for word in _TORCH_WORDS)
