"""A text index whose files are edited: only what was edited is searched again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from torchlint.project.contents import as_bytes, searched, words_in
from torchlint.project.dependencies import bit_of_text
from torchlint.project.text_index import TextIndex


class EditedIndex(TextIndex):
    """The text index of a project of which an editor has some files open."""

    def edit(self, path: Path, data: bytes) -> int | None:
        """Take other bytes for a file, and return what no answer may depend on any more; None if that is everything."""
        if (number := self._places.get(path)) is None:
            return None
        before, after = self._content(path), searched(path, data)
        self._edited[path] = data
        self._heads.pop(path, None)
        bits = self._search_anew(path, number, before, after) if before != after else 0
        return 1 << number | bits << len(self._places)

    def _search_anew(self, path: Path, number: int, before: bytes, after: bytes) -> int:
        """Search a file in which other bytes are to be searched, and return the bits of what has another result."""
        from torchlint.project.sayings import heirs_in, is_found, properties_in

        words, words_before = words_in(after), words_in(before)
        for name, then, now in (
            ("_words", words_before, words),
            ("_bases", set(heirs_in(before)), set(heirs_in(after))),
            ("_properties", properties_in(before), properties_in(after)),
        ):
            if name in vars(self):
                vars(self)[name].replace(number, then, now)
        if "_contents" in vars(self):
            self._contents[path] = after
        bits = 0
        for (how, text), kept in self._looked_for.items():
            holds = (not text.isidentifier() or as_bytes(text) in words) and is_found(how, (text,), after, words)
            if holds is not (path in kept.answer):
                bits |= bit_of_text(text, how)
                numbers = {self._places[one] for one in kept.answer} ^ {number}
                kept.answer = self._numbered(sorted(numbers))
        for texts in [one for one in self._saying if _says(one, before) is not _says(one, after)]:
            del self._saying[texts]
            bits |= bit_of_text(texts[0], "any")
        self._known.clear()
        self._using_with.clear()
        return bits


def _says(texts: Iterable[str], data: bytes) -> bool:
    return any(as_bytes(text) in data for text in texts)
