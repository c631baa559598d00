"""Where a project's files are, which of them an import names, and which of them hold a word.

Bytes answer most questions before a file is parsed: who calls `save_checkpoint` must say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from heapq import merge
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.checkout import Checkout, checkout
from torchlint.model.asked import ALL_FILES, OUTSIDE, Asked, Kept, Sought, bit_of_name, bit_of_text
from torchlint.model.contents import code_in, read_code, words_in
from torchlint.present import is_file
from torchlint.words import DEVICE_WORDS

if TYPE_CHECKING:
    from torchlint.model.searchpath import AddedFolders

# Never looked up in the project, even where a folder has the name: the model knows what these mean.
_OUTSIDE = frozenset({"torch", "numpy", "os", "sys", "argparse"})


class Library:
    """The files below one root; whatever it is asked for, `asked` notes it."""

    def __init__(
        self,
        root: Path,
        linted: Iterable[Path] = (),
        edited: Mapping[Path, bytes] | None = None,
        sought: Iterable[Sought] = (),
    ) -> None:
        self.root = root.absolute()
        self.asked = Asked()
        self.sought: list[Sought] = []
        self._known = {(one.texts, one.any_would_do): one for one in sought}
        self._linted = linted
        self._edited = edited or {}
        self._holding: dict[str, Kept[dict[Path, None]]] = {}
        self._holding_both: dict[tuple[str, str], list[int]] = {}
        self._saying: dict[tuple[str, ...], bool] = {}
        self._found: dict[tuple[Path, str], Kept[Path | None]] = {}

    @cached_property
    def _checkout(self) -> Checkout:
        return checkout(str(self.root))

    @cached_property
    def _places(self) -> dict[Path, int]:
        """Return every Python file, in order and with its number; last what is linted in folders passed over."""
        paths = dict.fromkeys(map(Path, self._checkout.files))
        return {path: number for number, path in enumerate({**paths, **dict.fromkeys((*self._linted, *self._edited))})}

    @property
    def paths(self) -> Iterable[Path]:
        """Return every Python file of the project, in order."""
        self._note(ALL_FILES)
        return self._places

    @cached_property
    def _contents(self) -> dict[Path, bytes]:
        edited = self._edited
        return {path: code_in(path, edited[path]) if path in edited else read_code(path) for path in self._places}

    def same(self, path: Path, data: bytes) -> bytes:
        """Return the bytes of a file as they are at hand already, if they are."""
        known = self._contents.get(path) if "_contents" in vars(self) else None
        return known if known == data else data

    def note_read(self, path: Path) -> None:
        """Note that a file is read."""
        if (number := self._places.get(path)) is None:
            self._note(OUTSIDE)
        else:
            self.asked.so_far |= 1 << number

    def _note(self, bit: int) -> None:
        self.asked.so_far |= bit << len(self._places)

    def holding(self, text: str) -> Mapping[Path, None]:
        """Return the files that hold a stretch of text, in order, for looking through and looking up."""
        if (known := self._holding.get(text)) is None:
            bit = bit_of_text(text) << len(self._places)
            known = self._holding[text] = Kept(self._found_holding(text), bit)
        return self.asked.recalled(known)

    def _found_holding(self, text: str) -> dict[Path, None]:
        if (known := self._known.get(((text,), False))) is not None:
            return dict.fromkeys(self._in_order[number] for number in known.files)
        found = self._files_with(text)
        self.sought.append(Sought((text,), tuple(self._places[path] for path in found)))
        return found

    @cached_property
    def _in_order(self) -> list[Path]:
        return list(self._places)

    def _files_with(self, text: str) -> dict[Path, None]:
        # The name of a file may be no Unicode, and then no program can say it.
        data = text.encode("utf-8", "surrogatepass")
        if text.isidentifier():
            return dict.fromkeys(self._in_order[number] for number in self._words.get(data, ()))
        return {path: None for path, content in self._contents.items() if data in content}

    def holding_both(self, text: str, words: Iterable[str], paths: Iterable[Path]) -> Iterator[Path]:
        """Yield the files that hold a text, in order: those among `paths`, and those that hold any of the words too."""
        held = self.holding(text)
        lists = [self._both(text, word) for word in sorted(words)]
        lists.append(sorted(self._places[path] for path in paths if path in held))
        last = -1
        for position in merge(*lists):
            if position != last:
                last = position
                yield self._in_order[position]

    def _both(self, text: str, word: str) -> list[int]:
        """Return the numbers of the files that hold a text and a word."""
        fewer, more = sorted((self.holding(text), self.holding(word)), key=len)
        if (text, word) not in self._holding_both:
            self._holding_both[text, word] = sorted(self._places[path] for path in fewer if path in more)
        return self._holding_both[text, word]

    @cached_property
    def _words(self) -> dict[bytes, list[int]]:
        """Return the numbers of the files that hold each word, in order."""
        words: dict[bytes, list[int]] = {}
        for number, content in enumerate(self._contents.values()):
            for word in words_in(content):
                if (files := words.get(word)) is None:
                    words[word] = [number]
                else:
                    files.append(number)
        return words

    @property
    def asks_for_devices(self) -> bool:
        """Tell whether any file says a word of devices; a project that never does runs on the CPU alone."""
        return self.says_any(DEVICE_WORDS)

    @property
    def size(self) -> int:
        """Return how many Python files there are."""
        return len(self._places)

    def says_any(self, texts: tuple[str, ...]) -> bool:
        """Tell whether any file holds any of some texts."""
        self._note(bit_of_text(texts[0]))
        if texts not in self._saying:
            self._saying[texts] = self._found_saying(texts)
        return self._saying[texts]

    def _found_saying(self, texts: tuple[str, ...]) -> bool:
        if (known := self._known.get((texts, True))) is not None:
            return bool(known.files)
        words = [text.encode() for text in texts]
        saying = (path for path, content in self._contents.items() if any(word in content for word in words))
        first = next(saying, None)
        files = (self._places[first],) if first is not None else ()
        self.sought.append(Sought(texts, files, any_would_do=True))
        return first is not None

    def find(self, importer: Path, module: str, level: int, added: AddedFolders) -> Path | None:
        """Return the file that an import names, as Python would find it in a checkout, or None for what is outside.

        A script finds its neighbours and what it adds to `sys.path`, code in a package what lies beside its package,
        and all find what lies at the root or in `src`.
        """
        if level:
            folder = importer.parent
            for _ in range(level - 1):
                folder = folder.parent
            return self._below(folder, module)
        if module.partition(".")[0] in _OUTSIDE:
            return None
        for folder in self._search_path(importer.parent, added):
            if (found := self._below(folder, module)) is not None:
                return found
        return None

    def _search_path(self, folder: Path, added: AddedFolders) -> list[Path]:
        folders = [*added.before, folder, *added.behind]
        while folder != self.root and self.root in folder.parents:
            folder = folder.parent
            folders.append(folder)
        return [*folders, self.root / "src"]

    def _below(self, folder: Path, module: str) -> Path | None:
        stem = folder.joinpath(*module.split(".")) if module else folder
        key = (folder, module)
        if key not in self._found:
            # Python takes a package before a plain file of the same name.
            candidates = [stem / "__init__.py", *([stem.with_name(f"{stem.name}.py")] if module else [])]
            bits = self._bits_around(stem) << len(self._places)
            self._found[key] = Kept(next(filter(self._has, candidates), None), bits)
        return self.asked.recalled(self._found[key])

    def is_package(self, folder: Path) -> bool:
        """Tell whether a folder of the project has an `__init__.py`."""
        return (folder == self.root or self.root in folder.parents) and self._below(folder, "") is not None

    def is_folder(self, path: Path) -> bool:
        """Tell whether there may be something to import in a folder.

        No note is taken of it: whoever looks for something there also looks for it elsewhere, by the same name.
        """
        return str(path) in self._checkout.folders or self._is_foreign(path)

    def _has(self, path: Path) -> bool:
        return path in self._places or (self._is_foreign(path) and is_file(path))

    def _bits_around(self, stem: Path) -> int:
        return bit_of_name(stem.name) | (OUTSIDE if self._is_foreign(stem) else 0)

    def _is_foreign(self, path: Path) -> bool:
        """Tell whether a path leads where nobody has looked for files of the project."""
        lineage = [str(path), *map(str, path.parents)]
        return str(self.root) not in lineage or not self._checkout.passed_over.isdisjoint(lineage)
