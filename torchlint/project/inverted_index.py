"""The numbers of the files that contain each word, in order."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set as AbstractSet
from itertools import chain

_BETWEEN = b"\n"
# Of fewer letters, too many words begin so.
_LONG = 3


class InvertedIndex:
    """Made of the words of all files, in order."""

    def __init__(self, files: Iterable[Iterable[bytes]]) -> None:
        found: dict[bytes, list[int]] = defaultdict(list)
        for number, words in enumerate(files):
            for word in words:
                found[word].append(number)
        self._numbers = dict(found)
        self._joined = b""

    def files_with(self, word: bytes) -> Sequence[int]:
        """Return the numbers of the files that contain a word."""
        return self._numbers.get(word, ())

    def files_that_may_hold(self, text: bytes) -> Sequence[int] | None:
        """Return the numbers of the files with all words of a text, as far as that is known; None without any."""
        return min(self._with_words_of(text), key=len, default=None)

    def _with_words_of(self, text: bytes) -> Iterator[Sequence[int]]:
        """Yield the files with each word of a text, and those with a word that begins or ends as it does."""
        from torchlint.project.sayings import inner_words, outer_words

        yield from map(self.files_with, inner_words(text))
        first, last = outer_words(text)
        if len(first) >= _LONG:
            yield self._files_with_part(first + _BETWEEN)
        if len(last) >= _LONG:
            yield self._files_with_part(_BETWEEN + last)

    def _files_with_part(self, part: bytes) -> Sequence[int]:
        return sorted(set(chain.from_iterable(self._numbers[word] for word in self._words_with(part))))

    def _words_with(self, part: bytes) -> Iterator[bytes]:
        """Yield the words with a part at their beginning or end, where the mark is: all are searched as one text."""
        if not self._joined:
            self._joined = _BETWEEN.join((b"", *self._numbers, b""))
        at = self._joined.find(part)
        while at >= 0:
            inside = at + 1 if part.startswith(_BETWEEN) else at
            start = self._joined.rfind(_BETWEEN, 0, inside) + 1
            end = self._joined.find(_BETWEEN, inside)
            yield self._joined[start:end]
            at = self._joined.find(part, end)

    def replace(self, number: int, before: AbstractSet[bytes], after: AbstractSet[bytes]) -> None:
        """Replace the words of a file."""
        self._joined = b""
        for word in before - after:
            self._numbers[word].remove(number)
        for word in after - before:
            insort(self._numbers.setdefault(word, []), number)
