"""The numbers of the files that contain each word, in order."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set as AbstractSet


class InvertedIndex:
    """Made of the words of all files, in order."""

    def __init__(self, files: Iterable[Iterable[bytes]]) -> None:
        found: dict[bytes, list[int]] = defaultdict(list)
        for number, words in enumerate(files):
            for word in words:
                found[word].append(number)
        self._numbers = dict(found)

    def files_with(self, word: bytes) -> Sequence[int]:
        """Return the numbers of the files that contain a word."""
        return self._numbers.get(word, ())

    def replace(self, number: int, before: AbstractSet[bytes], after: AbstractSet[bytes]) -> None:
        """Replace the words of a file."""
        for word in before - after:
            self._numbers[word].remove(number)
        for word in after - before:
            insort(self._numbers.setdefault(word, []), number)
