"""A family of programs: one for each n, of which the next is twice as large."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Files: TypeAlias = dict[str, str]
Make: TypeAlias = Callable[[int], Files]
_TOKEN = re.compile(r"\w+|[^\w\s]")
# Deeper blocks and brackets are refused by Python itself.
DEEPEST = 90


@dataclass(frozen=True, slots=True)
class Family:
    """Programs of one shape; `most` is the largest n that is still Python, where there is one."""

    name: str
    kind: str
    says: str
    make: Make
    most: int | None

    def sized(self, tokens: int) -> int:
        """Return the largest n whose program has no more than so many tokens."""
        low, high = 1, 2
        while self._fits(high, tokens):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._fits(middle, tokens) else (low, middle)
        return low

    def _fits(self, n: int, tokens: int) -> bool:
        return (self.most is None or n <= self.most) and size_of(self.make(n)) <= tokens


FAMILIES: dict[str, Family] = {}


def family(most: int | None = None) -> Callable[[Make], Make]:
    """Register what makes the programs of a family; its docstring says what they are."""

    def register(make: Make) -> Make:
        name, kind = make.__name__.replace("_", "-"), make.__module__.rpartition(".")[2]
        FAMILIES[name] = Family(name, kind, (make.__doc__ or "").strip(), make, most)
        return make

    return register


def size_of(files: Files) -> int:
    """Return how many words and marks a program has: neither indentation nor the digits in names make it larger."""
    return sum(len(_TOKEN.findall(text)) for text in files.values())
