"""Yes-or-no answers about a whole project that reports depend on by their value, whatever was read to find them.

An edit in one of the many files that were read for such a fact changes it hardly ever: the next run asks again, and all
reports that depend on it are valid if the answer is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from torchlint.project.dependencies import AFTER_ALL, OUTSIDE, Dependencies

FactKey: TypeAlias = "tuple[str, str]"
"""The name of a question, and the file that it is about, empty for the whole project."""


@dataclass(frozen=True, slots=True)
class Fact:
    """An answer, and what it depends on: files, other bits and other facts, as a report does."""

    key: FactKey
    answer: bool
    files: int
    others: int
    facts: tuple[FactKey, ...] = ()


class Facts:
    """The facts that were asked for; each has a bit after all others."""

    def __init__(self, dependencies: Dependencies, size: int) -> None:
        self._dependencies = dependencies
        self._size = size
        self._first = size + AFTER_ALL
        self._numbers: dict[FactKey, int] = {}
        self._known: list[Fact] = []

    def told(self, key: FactKey, ask: Callable[[], bool]) -> bool:
        """Return an answer; what asked then depends on that alone, unless it is about more than the project."""
        if (number := self._numbers.get(key)) is None:
            before = self._dependencies.current
            found = self._dependencies.answered(ask)
            if found.depends_on >> self._size & OUTSIDE:
                return found.answer
            number = self._numbers[key] = len(self._known)
            self._known.append(Fact(key, found.answer, *self.parts(found.depends_on)))
            self._dependencies.current = before
        self._dependencies.current |= 1 << self._first + number
        return self._known[number].answer

    def parts(self, depends_on: int) -> tuple[int, int, tuple[FactKey, ...]]:
        """Return the files, the other bits and the facts that something depends on."""
        others = depends_on >> self._size & (1 << AFTER_ALL) - 1
        return depends_on & (1 << self._size) - 1, others, tuple(self._keys(depends_on >> self._first))

    def since(self, number: int) -> tuple[Fact, ...]:
        """Return the facts from a number on."""
        return tuple(self._known[number:])

    def __len__(self) -> int:
        """Return how many facts there are."""
        return len(self._known)

    def _keys(self, numbers: int) -> Iterator[FactKey]:
        while numbers:
            lowest = numbers & -numbers
            yield self._known[lowest.bit_length() - 1].key
            numbers ^= lowest


def stale_with(facts: Iterable[Fact], stale: set[FactKey]) -> set[FactKey]:
    """Return stale facts, and all that depend on one of them."""
    found, known = set(stale), tuple(facts)
    while more := {one.key for one in known if one.key not in found and not found.isdisjoint(one.facts)}:
        found |= more
    return found
