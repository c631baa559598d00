"""The positions in a text of TOML, which the parser of the standard library does not report."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

from torchlint.config.toml import parsed

KeyPath: TypeAlias = "tuple[str | int, ...]"
"""The path to a value: keys, and indexes into arrays."""

_BASIC = r'"(?:[^"\\\n]|\\.)*"'
_LITERAL = r"'[^'\n]*'"
_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_KEY = re.compile(rf"{_BASIC}|{_LITERAL}|[A-Za-z0-9_-]+")
_DOT = re.compile(r"[ \t]*(\.?)[ \t]*")
_SCALAR = re.compile(
    rf'"""(?:[^\\]|\\.)*?"{{3,5}}(?!")|\'\'\'.*?\'{{3,5}}(?!\')|{_BASIC}|{_LITERAL}|[^,\]}}#\n]*[^,\]}}#\s]', re.DOTALL
)


# No setting is deeper. Below, the nearest key above is shown.
_DEEPEST = 16


@dataclass(frozen=True, slots=True)
class Places:
    """The spans of a text's keys and values, by their paths."""

    keys: dict[KeyPath, range] = field(default_factory=dict[KeyPath, range])
    values: dict[KeyPath, range] = field(default_factory=dict[KeyPath, range])

    def key(self, path: KeyPath) -> range:
        """Return the span of a key, or of the nearest one that it is below."""
        while path and path not in self.keys:
            path = path[:-1]
        return self.keys.get(path, range(0))

    def value(self, path: KeyPath) -> range:
        """Return the span of a value; that of a table is its key's."""
        return self.values.get(path) or self.key(path)


def places(text: str) -> Places:
    """Return the positions in a text of TOML that is known to be valid, without CR."""
    return _Reader(text).read()


class _Reader:
    """A text of TOML, and the position up to which it is read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._places = Places()
        self._lengths: dict[KeyPath, int] = {}

    def read(self) -> Places:
        """Read the whole text."""
        table: KeyPath = ()
        while self._skips_to_more():
            if self._text.startswith("[", self._at):
                table = self._header()
            else:
                self._assignment(table)
        return self._places

    def _skips_to_more(self) -> bool:
        self._skip(_BLANK)
        return self._at < len(self._text)

    def _header(self) -> KeyPath:
        """Read `[table]` or `[[array of tables]]`; of an array, what follows is in its last table."""
        brackets = 2 if self._text.startswith("[[", self._at) else 1
        self._at += brackets
        self._skip(_BLANK)
        table = self._dotted((), is_array=brackets == 2)
        self._at += brackets
        return table

    def _assignment(self, table: KeyPath) -> None:
        path = self._dotted(table)
        self._at += len("=")
        self._skip(_BLANK)
        self._value(path)

    def _dotted(self, path: KeyPath, *, is_array: bool = False) -> KeyPath:
        """Read `a.b.c`, and stop after it."""
        while True:
            key = self._skip(_KEY)
            path = (*path, _bare(self._text[key.start : key.stop]))[:_DEEPEST]
            self._places.keys.setdefault(path, key)
            is_last = not self._text[self._skip(_DOT).start : self._at].strip()
            if is_last and is_array:
                self._lengths[path] = self._lengths.get(path, 0) + 1
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
                self._places.keys.setdefault(path, key)
            if is_last:
                return path

    def _value(self, path: KeyPath) -> None:
        start = self._at
        match self._text[start]:
            case "[":
                self._items(path)
            case "{":
                self._inline_table(path)
            case _:
                self._skip(_SCALAR)
        self._places.values[path] = range(start, self._at)

    def _items(self, path: KeyPath) -> None:
        index = 0
        while self._goes_on("]"):
            self._value((*path, index))
            index += 1

    def _inline_table(self, path: KeyPath) -> None:
        while self._goes_on("}"):
            self._assignment(path)

    def _goes_on(self, end: str) -> bool:
        """Skip a bracket or a comma, and tell whether anything follows before the end."""
        self._skip(_BLANK)
        if self._text[self._at] in "[{," and self._text[self._at] != end:
            self._at += 1
            self._skip(_BLANK)
        if self._text[self._at] != end:
            return True
        self._at += 1
        return False

    def _skip(self, pattern: re.Pattern[str]) -> range:
        """Skip a match at the current position, and return its span."""
        start = self._at
        if (found := pattern.match(self._text, start)) is not None:
            self._at = found.end()
        return range(start, self._at)


def _bare(key: str) -> str:
    """Return a key without its quotes and escapes."""
    return next(iter(parsed(f"{key} = 0"))) if key[0] in "\"'" else key
