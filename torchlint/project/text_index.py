"""Which of a project's files contain a text, use a name, or derive from a class, by their bytes.

Bytes answer most questions before a file is parsed: a call of `save_checkpoint` contains that word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from heapq import merge
from pathlib import Path

from torchlint.files.checkout import Checkout, checkout
from torchlint.project.contents import as_bytes, read_code, searched, words_in
from torchlint.project.dependencies import (
    ALL_FILES,
    OUTSIDE,
    Dependencies,
    How,
    IndexLookup,
    MemoEntry,
    Table,
    bit_of_text,
)
from torchlint.project.facts import Facts
from torchlint.project.inverted_index import InvertedIndex
from torchlint.steps import Steps
from torchlint.words import DEVICE_WORDS


class TextIndex:
    """The bytes of the files below one root; `asked` notes every search."""

    def __init__(
        self,
        root: Path,
        linted: Iterable[Path] = (),
        edited: Mapping[Path, bytes] | None = None,
        sought: Iterable[IndexLookup] = (),
    ) -> None:
        self.root = root.absolute()
        self.dependencies = Dependencies()
        self.steps = Steps()
        self.sought: list[IndexLookup] = []
        self._known = {one.key: one for one in sought}
        self._linted = tuple(linted)
        self._edited = dict(edited or {})
        self._looked_for: dict[tuple[How, str], MemoEntry[dict[Path, None]]] = {}
        self._using_with: dict[tuple[str, str], list[int]] = {}
        self._heirs: Table[str, frozenset[str]] = self.dependencies.table()
        self._heads: dict[Path, dict[bytes, set[bytes]]] = {}
        self._saying: dict[tuple[str, ...], bool] = {}

    @cached_property
    def _checkout(self) -> Checkout:
        return checkout(str(self.root), len(self._linted))

    @cached_property
    def _places(self) -> dict[Path, int]:
        """Return every Python file, in order and with its number; last those that are linted in folders passed over."""
        paths = dict.fromkeys(map(Path, self._checkout.files))
        return {path: number for number, path in enumerate({**paths, **dict.fromkeys((*self._linted, *self._edited))})}

    @property
    def paths(self) -> Iterable[Path]:
        """Return every Python file of the project, in order."""
        self._note(ALL_FILES)
        return self._places

    @cached_property
    def _contents(self) -> dict[Path, bytes]:
        return {path: self._read(path) for path in self._places}

    def _read(self, path: Path) -> bytes:
        return searched(path, self._edited[path]) if path in self._edited else read_code(path)

    def same(self, path: Path, data: bytes) -> bytes:
        """Return the bytes of a file, the same object as before if they are equal."""
        known = self._contents.get(path) if "_contents" in vars(self) else None
        return known if known == data else data

    def note_read(self, path: Path) -> None:
        """Note that a file is read."""
        if (number := self._places.get(path)) is None:
            self._note(OUTSIDE)
        else:
            self.dependencies.current |= 1 << number

    def _note(self, bit: int) -> None:
        self.dependencies.current |= bit << len(self._places)

    @property
    def folders_outside(self) -> Iterable[str]:
        """Return the folders of the project, to look for files that are not of Python."""
        self._note(OUTSIDE)
        return self._checkout.folders

    def holding(self, text: str) -> Mapping[Path, None]:
        """Return the files that contain a text, in order, to iterate over and to look up."""
        return self._look_for("held", text)

    def using(self, name: str) -> Mapping[Path, None]:
        """Return the files that may call something by a name, pass it on or rename it, in order."""
        return self._look_for("used", name)

    def inheriting(self, name: str) -> Mapping[Path, None]:
        """Return the files that may have a class of that name as a base, or an alias of it, in order."""
        return self._look_for("inherited", name)

    def computing(self, name: str) -> Mapping[Path, None]:
        """Return the files that have a property of that name, in order."""
        return self._look_for("computed", name)

    def _look_for(self, how: How, text: str) -> Mapping[Path, None]:
        if (known := self._looked_for.get((how, text))) is None:
            bit = bit_of_text(text, how) << len(self._places)
            known = self._looked_for[how, text] = MemoEntry(self._search(how, text), bit)
        return self.dependencies.recalled(known)

    def _search(self, how: How, text: str) -> dict[Path, None]:
        if (known := self._known.get((how, (text,)))) is not None:
            return self._numbered(known.files)
        found = self._files_with(how, text)
        self.sought.append(IndexLookup((text,), tuple(self._places[path] for path in found), how))
        return found

    @cached_property
    def _in_order(self) -> list[Path]:
        return list(self._places)

    def _files_with(self, how: How, text: str) -> dict[Path, None]:
        from torchlint.project.sayings import uses

        data = as_bytes(text)
        if how == "inherited":
            return self._numbered(self._bases.files_with(data))
        if how == "computed":
            return self._numbered(self._properties.files_with(data))
        if how == "used":
            return {path: None for path in self._files_with("held", text) if uses(data, self._contents[path])}
        if text.isidentifier():
            return self._numbered(self._words.files_with(data))
        # To search the bytes of every file takes far longer than to look up its words.
        fewest = self._words.files_that_may_hold(data)
        some = range(len(self._places)) if fewest is None else fewest
        return {path: None for path in self._numbered(some) if data in self._contents[path]}

    def _numbered(self, numbers: Iterable[int]) -> dict[Path, None]:
        return dict.fromkeys(self._in_order[number] for number in numbers)

    def heirs(self, name: str) -> frozenset[str]:
        """Return the names of the classes that may derive from a class, its own among them, by the heads of classes."""
        if (known := self._heirs.get(name)) is None:
            known = self._heirs[name] = self.dependencies.answered(lambda: self._found_heirs(name))
        return self.dependencies.recalled(known)

    def _found_heirs(self, name: str) -> frozenset[str]:
        found = {name}
        pending = [name]
        while pending:
            last = pending.pop()
            for path in self.inheriting(last):
                self.note_read(path)
                new = {heir.decode() for heir in self._heirs_in(path).get(as_bytes(last), ())} - found
                pending.extend(sorted(new))
                found |= new
        return frozenset(found)

    def _heirs_in(self, path: Path) -> Mapping[bytes, set[bytes]]:
        """Return the base classes in a file, without reading all others."""
        if path not in self._heads:
            from torchlint.project.sayings import heirs_in

            self._heads[path] = heirs_in(self._content(path))
        return self._heads[path]

    def _content(self, path: Path) -> bytes:
        """Return the bytes to search in a file, without reading all others."""
        known = self._contents.get(path) if "_contents" in vars(self) else None
        return known if known is not None else self._read(path)

    def using_with(self, name: str, words: Iterable[str], paths: Iterable[Path]) -> Iterator[Path]:
        """Yield the files that use a name, in order: those among `paths`, and those with any of the words too."""
        using = self.using(name)
        lists = [self._with(name, word) for word in sorted(words)]
        lists.append(sorted(self._places[path] for path in paths if path in using))
        last = -1
        for position in merge(*lists):
            if position != last:
                last = position
                yield self._in_order[position]

    def _with(self, name: str, word: str) -> list[int]:
        """Return the numbers of the files that use a name and contain a word."""
        fewer, more = sorted((self.using(name), self.holding(word)), key=len)
        if (name, word) not in self._using_with:
            self._using_with[name, word] = sorted(self._places[path] for path in fewer if path in more)
        return self._using_with[name, word]

    @cached_property
    def _words(self) -> InvertedIndex:
        return InvertedIndex(words_in(content) for content in self._contents.values())

    @cached_property
    def _bases(self) -> InvertedIndex:
        """Return the files that derive from a class of each name."""
        return InvertedIndex(map(self._heirs_in, self._places))

    @cached_property
    def _properties(self) -> InvertedIndex:
        """Return the files that have a property of each name."""
        from torchlint.project.sayings import properties_in

        return InvertedIndex(map(properties_in, self._contents.values()))

    @cached_property
    def facts(self) -> Facts:
        """Return the yes-or-no answers about the project."""
        return Facts(self.dependencies, self.size)

    @property
    def asks_for_devices(self) -> bool:
        """Tell whether any file mentions a device; a project that never does runs on the CPU alone."""
        return self.says_any(DEVICE_WORDS)

    @property
    def size(self) -> int:
        """Return how many Python files there are."""
        return len(self._places)

    def says_any(self, texts: tuple[str, ...]) -> bool:
        """Tell whether any file contains one of some texts."""
        self._note(bit_of_text(texts[0], "any"))
        if texts not in self._saying:
            self._saying[texts] = self._found_saying(texts)
        return self._saying[texts]

    def _found_saying(self, texts: tuple[str, ...]) -> bool:
        if (known := self._known.get(("any", texts))) is not None:
            return bool(known.files)
        words = [as_bytes(text) for text in texts]
        saying = (path for path, content in self._contents.items() if any(word in content for word in words))
        first = next(saying, None)
        files = (self._places[first],) if first is not None else ()
        self.sought.append(IndexLookup(texts, files, "any"))
        return first is not None
