"""What leads from one to another: everything that is reached, each once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

_Item = TypeVar("_Item", bound=Hashable)


def closure(
    first: _Item, further: Callable[[_Item], Iterable[_Item]], reached: set[_Item] | None = None
) -> Iterator[_Item]:
    """Yield an item and all that it leads to, each once; `further` is asked for each after that is yielded.

    What was reached before, from another item, is not again.
    """
    reached = set() if reached is None else reached
    waiting = [first]
    while waiting:
        if (one := waiting.pop()) not in reached:
            reached.add(one)
            yield one
            waiting += further(one)
