"""What answers depend on: the files they were read from, and the words, names and facts that were looked up.

It is a set of bits: fast to unite, and kept with every answer, so that a later use of a memo entry depends on the same
as the first. The first bits are files; those after them are shared by several words or names, so that the set stays
small, and what depends on one of these then depends on all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, Literal, TypeAlias, TypeVar, get_args
from weakref import WeakValueDictionary
from zlib import crc32

_Key = TypeVar("_Key", bound=Hashable)
_Answer = TypeVar("_Answer")
How: TypeAlias = Literal["held", "any", "used", "inherited", "computed"]
"""How a text is searched: anywhere, as one of several, as a name that is called, as a base class, as a property."""
WAYS: tuple[How, ...] = get_args(How)

OUTSIDE = 1
"""Something on the disk that is not of the project."""
ALL_FILES = 2
"""Which files there are."""
_FIRST_WORD = 2
_WORDS = 8192
_NAMES = 2048
_IMPORTS = 1024
AFTER_ALL = _FIRST_WORD + _WORDS + _NAMES + _IMPORTS
"""The first bit after these, counted from after those of files."""


def bit_of_text(text: str, how: How) -> int:
    """Return the bit, counted from after those of files, for the files that contain a text."""
    return 1 << _FIRST_WORD + crc32(f"{how} {text}".encode("utf-8", "surrogatepass")) % _WORDS


def bit_of_name(name: str) -> int:
    """Return the bit, counted from after those of files, for where an import finds something of this last name."""
    return 1 << _FIRST_WORD + _WORDS + crc32(name.encode("utf-8", "surrogatepass")) % _NAMES


def bit_of_imports(path: str) -> int:
    """Return the bit, counted from after those of files, for what the import statements of a file name."""
    return 1 << _FIRST_WORD + _WORDS + _NAMES + crc32(path.encode("utf-8", "surrogatepass")) % _IMPORTS


# Not frozen: there are hundreds of thousands, and to freeze one takes longer than all its other work.
@dataclass(slots=True, eq=False)
class MemoEntry(Generic[_Answer]):
    """An answer, what it depends on, and how many calls it followed.

    A query may have several answers: for worlds that differ in some `part`, and truncated ones, each with the call
    depth that was `left` for it. They are chained.
    """

    answer: _Answer
    depends_on: int
    call_depth: int = 0
    part: int = 0
    left: int | None = None
    next: MemoEntry[_Answer] | None = None


def chained(entry: MemoEntry[_Answer] | None) -> Iterator[MemoEntry[_Answer]]:
    """Yield the answers that are chained, from one on."""
    while entry is not None:
        yield entry
        entry = entry.next


def chain(entries: Sequence[MemoEntry[_Answer]]) -> MemoEntry[_Answer] | None:
    """Chain answers, and return the first, None if there is none."""
    first = None
    for entry in reversed(entries):
        entry.next = first
        first = entry
    return first


class Table(dict[_Key, MemoEntry[_Answer]]):
    """Answers by their questions, made by `Dependencies.table`."""

    __slots__ = ("__weakref__",)


@dataclass(frozen=True, slots=True)
class IndexLookup:
    """A text that was searched in every file, or several of which any is enough, and the numbers of those with it.

    If any is enough, the first such file is.
    """

    texts: tuple[str, ...]
    files: tuple[int, ...]
    how: How = "held"

    @property
    def key(self) -> tuple[How, tuple[str, ...]]:
        """Return what was searched, whatever was found."""
        return self.how, self.texts

    @property
    def bit(self) -> int:
        """Return the bit, counted from after those of files, of what made the search."""
        return bit_of_text(self.texts[0], self.how)


class Dependencies:
    """What answers depend on so far; to track one answer, `current` is set to zero before it."""

    def __init__(self) -> None:
        self.current = 0
        self.found = 0
        """How many answers were found since this was set to zero."""
        self._same: dict[int, int] = {}
        self._tables: WeakValueDictionary[int, Table[Any, Any]] = WeakValueDictionary()
        self._numbers = count()

    def table(self) -> Table[_Key, _Answer]:
        """Return a new table of answers, of which `drop` drops those that are not valid any more."""
        made: Table[_Key, _Answer] = Table()
        self._tables[next(self._numbers)] = made
        return made

    def drop(self, gone: int) -> None:
        """Drop the answers that depend on what has changed."""
        # Most answers have their dependencies in common with others, and these have thousands of bits.
        are_stale: dict[int, bool] = {}

        def is_stale(entry: MemoEntry[Any]) -> bool:
            if (known := are_stale.get(id(entry.depends_on))) is None:
                known = are_stale[id(entry.depends_on)] = bool(entry.depends_on & gone)
            return known

        for table in self._tables.values():
            for key in [key for key, entry in table.items() if any(map(is_stale, chained(entry)))]:
                remaining = chain([entry for entry in chained(table.pop(key)) if not is_stale(entry)])
                if remaining is not None:
                    table[key] = remaining

    def drop_questions(self, is_gone: Callable[[Hashable], bool]) -> None:
        """Drop the answers to questions that nothing asks any more."""
        for table in self._tables.values():
            for key in [key for key in table if is_gone(key)]:
                del table[key]

    def forget(self) -> None:
        """Let go of the sets that answers have in common, as the answers are not in use any more."""
        self._same.clear()

    def since(self, before: int) -> int:
        """Return the dependencies since `current` was set to zero, and add them to those before."""
        found = self.current
        self.current |= before
        self.found += 1
        # Thousands of answers depend on the same.
        return self._same.setdefault(found, found)

    def answered(self, question: Callable[[], _Answer]) -> MemoEntry[_Answer]:
        """Return the answer to a question with what it depends on, independent of earlier questions."""
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
