"""What answers rest on: the files they were read off, and the words, names and facts that a project was asked for.

It is a set of bits: united in no time, and kept with every answer, so that whoever is given an old answer rests on
the same as who was given it first. The first bits are files; those behind them are shared by several words or names,
so that the set stays small, and what rests on one of these then rests on all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar, get_args
from zlib import crc32

_Answer = TypeVar("_Answer")
How: TypeAlias = Literal["held", "any", "used", "inherited", "computed"]
"""How a text is looked for: anywhere, as one of several, as a name that is called, as a class that others come of, as
a property."""
WAYS: tuple[How, ...] = get_args(How)

OUTSIDE = 1
"""Something that is on the disk and not of the project."""
ALL_FILES = 2
"""Which files there are."""
_FIRST_WORD = 2
_WORDS = 8192
_NAMES = 2048
_IMPORTS = 1024


def bit_of_text(text: str, how: How) -> int:
    """Return the bit, counted from behind those of files, for in which files a text is found."""
    return 1 << _FIRST_WORD + crc32(f"{how} {text}".encode("utf-8", "surrogatepass")) % _WORDS


def bit_of_name(name: str) -> int:
    """Return the bit, counted from behind those of files, for where an import finds something of this last name."""
    return 1 << _FIRST_WORD + _WORDS + crc32(name.encode("utf-8", "surrogatepass")) % _NAMES


def bit_of_imports(path: str) -> int:
    """Return the bit, counted from behind those of files, for what the import statements of a file name."""
    return 1 << _FIRST_WORD + _WORDS + _NAMES + crc32(path.encode("utf-8", "surrogatepass")) % _IMPORTS


# Not frozen, as there are hundreds of thousands, and to freeze one takes longer than all else about it.
@dataclass(slots=True, eq=False)
class MemoEntry(Generic[_Answer]):
    """An answer, what it rests on, and how many calls it was followed through."""

    answer: _Answer
    depends_on: int
    call_depth: int = 0


@dataclass(frozen=True, slots=True)
class IndexLookup:
    """A text that was looked for in every file, or several of which any would do, and the numbers of those it is in.

    Where any would do, the first such file is enough.
    """

    texts: tuple[str, ...]
    files: tuple[int, ...]
    how: How = "held"

    @property
    def key(self) -> tuple[How, tuple[str, ...]]:
        """Return what was looked for, whatever was found."""
        return self.how, self.texts

    @property
    def bit(self) -> int:
        """Return the bit, counted from behind those of files, of whoever asked."""
        return bit_of_text(self.texts[0], self.how)


class Dependencies:
    """What was asked of a project so far; who wants to know since when sets it to nothing then."""

    def __init__(self) -> None:
        self.current = 0
        self._same: dict[int, int] = {}

    def forget(self) -> None:
        """Let go of the sets that answers have in common, as nobody has the answers any more."""
        self._same.clear()

    def since(self, before: int) -> int:
        """Return what was asked since `current` was set to nothing, and add it to what was asked before."""
        found = self.current
        self.current |= before
        # Thousands of answers rest on the same.
        return self._same.setdefault(found, found)

    def answered(self, question: Callable[[], _Answer]) -> MemoEntry[_Answer]:
        """Return the answer to a question with what it rests on, however much was asked before."""
        before, self.current = self.current, 0
        try:
            answer = question()
        finally:
            depends_on = self.since(before)
        return MemoEntry(answer, depends_on)

    def recalled(self, kept: MemoEntry[_Answer]) -> _Answer:
        """Return an answer that was found before."""
        self.current |= kept.depends_on
        return kept.answer
