"""Where a project's files are, which of them an import names, and which of them hold a word.

Bytes answer most questions before a file is parsed: who calls `save_checkpoint` must say so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from heapq import merge
from pathlib import Path

from torchlint.model.searchpath import AddedFolders
from torchlint.notebook.names import is_notebook
from torchlint.skipped import is_environment, is_skipped
from torchlint.source import UnreadableSourceError, read_source

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_MOST_FILES = 20_000
_MOST_BYTES = 2_000_000
_DEVICE_WORDS = (
    b"cuda",
    b".to(",
    b"device",
    b"gpu",
    b"ccelerat",
    b"ightning",
    b"Trainer",
    b"abric",
    b"deepspeed",
    b"xla",
)
# Never looked up in the project, even where a folder has the name: the model knows what these mean.
_OUTSIDE = frozenset({"torch", "numpy", "os", "sys", "argparse"})


class Library:
    """The files below one root."""

    def __init__(self, root: Path, linted: Iterable[Path] = (), edited: Mapping[Path, bytes] | None = None) -> None:
        self.root = root.absolute()
        self._linted = linted
        self._edited = edited or {}
        self._holding: dict[str, dict[Path, None]] = {}
        self._holding_both: dict[tuple[str, str], list[int]] = {}
        self._found: dict[tuple[Path, str], Path | None] = {}

    @cached_property
    def contents(self) -> dict[Path, bytes]:
        """Return the bytes of every Python file, by path, in order; last what is linted in folders passed over."""
        contents: dict[Path, bytes] = {}
        for folder, folders, names in os.walk(self.root):
            if folder != str(self.root) and is_environment({*folders, *names}):
                folders.clear()
                continue
            folders[:] = sorted(name for name in folders if not is_skipped(name))
            for name in sorted(names):
                if name.endswith(".py") and len(contents) < _MOST_FILES:
                    path = Path(folder, name)
                    contents[path] = _read(path)
        contents.update((path, _read(path)) for path in self._linted if path not in contents)
        contents.update((path, _code(path, data)) for path, data in self._edited.items())
        return contents

    def holding(self, text: str) -> Mapping[Path, None]:
        """Return the files that hold a stretch of text, in order, for looking through and looking up."""
        if text not in self._holding:
            if text.isidentifier():
                self._holding[text] = self._words.get(text.encode(), {})
            else:
                data = text.encode()
                self._holding[text] = {path: None for path, content in self.contents.items() if data in content}
        return self._holding[text]

    def holding_both(self, text: str, words: Iterable[str], paths: Iterable[Path]) -> Iterator[Path]:
        """Yield the files that hold a text, in order: those among `paths`, and those that hold any of the words too."""
        held = self.holding(text)
        lists = [self._both(text, word) for word in sorted(words)]
        lists.append(sorted(self._position[path] for path in paths if path in held))
        last = -1
        for position in merge(*lists):
            if position != last:
                last = position
                yield self._paths[position]

    def _both(self, text: str, word: str) -> list[int]:
        """Return the positions of the files that hold a text and a word."""
        if (text, word) not in self._holding_both:
            fewer, more = sorted((self.holding(text), self.holding(word)), key=len)
            self._holding_both[text, word] = sorted(self._position[path] for path in fewer if path in more)
        return self._holding_both[text, word]

    @cached_property
    def _paths(self) -> list[Path]:
        return list(self.contents)

    @cached_property
    def _position(self) -> dict[Path, int]:
        return {path: position for position, path in enumerate(self.contents)}

    @cached_property
    def _words(self) -> dict[bytes, dict[Path, None]]:
        """Return the files that hold each word, in order."""
        words: dict[bytes, dict[Path, None]] = {}
        for path, content in self.contents.items():
            for word in set(_WORD.findall(content)):
                words.setdefault(word, {})[path] = None
        return words

    @cached_property
    def asks_for_devices(self) -> bool:
        """Tell whether any file says a word of devices; a project that never does runs on the CPU alone."""
        return any(any(word in content for word in _DEVICE_WORDS) for content in self.contents.values())

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
        key = (folder, module)
        if key not in self._found:
            stem = folder.joinpath(*module.split(".")) if module else folder
            # Python takes a package before a plain file of the same name.
            candidates = [stem / "__init__.py", *([stem.with_name(f"{stem.name}.py")] if module else [])]
            self._found[key] = next((path for path in candidates if path.is_file()), None)
        return self._found[key]


def _read(path: Path) -> bytes:
    try:
        if is_notebook(path.name):
            return _code(path, path.read_bytes())
        return path.read_bytes() if path.stat().st_size <= _MOST_BYTES else b""
    except OSError:
        return b""


def _code(path: Path, data: bytes) -> bytes:
    """Return the program of a notebook, whose pictures and prose hold words that mean nothing, or a file as it is."""
    if not is_notebook(path.name):
        return data
    try:
        return read_source(path.name, data).text.encode()
    except UnreadableSourceError:
        return b""
