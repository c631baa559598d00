"""A value in a configuration that is to be decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torchlint.config.places import KeyPath
from torchlint.nearest import nearest

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_KINDS = {bool: "a boolean", int: "an integer", float: "a float", str: "a string", list: "a list", dict: "a table"}


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong with a value, or with its key; the path is from the top of the file."""

    path: KeyPath
    message: str
    of_key: bool = False
    is_note: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A value and the path to it; `mistakes` collects those of all entries of the file."""

    path: KeyPath
    value: object
    mistakes: list[Mistake]

    @property
    def name(self) -> str:
        """Return the path as TOML writes it."""
        return dotted(self.path)

    def refuse(self, message: str, *, of_key: bool = False) -> None:
        """Note a mistake here."""
        self.mistakes.append(Mistake(self.path, message, of_key))

    def note(self, message: str, *, of_key: bool = False) -> None:
        """Note something that is valid here, but could be better."""
        self.mistakes.append(Mistake(self.path, message, of_key, is_note=True))

    def refuse_type(self, expected: str) -> None:
        """Note that the value is not of the expected type."""
        self.refuse(f"`{self.name}` must be {expected}, got {_kind(self.value)}")

    def members(self) -> Iterator[tuple[str, Entry]]:
        """Yield the keys of a table and their values."""
        if not isinstance(self.value, dict):
            self.refuse_type("a table")
            return
        for key, value in self.value.items():
            yield key, Entry((*self.path, key), value, self.mistakes)

    def fields(self, known: Sequence[str]) -> Iterator[tuple[str, Entry]]:
        """Yield the members of a table whose keys are known, and refuse the others."""
        for key, member in self.members():
            if key in known:
                yield key, member
            else:
                member.refuse(f"unknown key `{member.name}`; {advice(key, known)}", of_key=True)

    def strings(self) -> Iterator[tuple[Entry, str]]:
        """Yield the strings of a list, and refuse other items."""
        if not isinstance(self.value, list):
            self.refuse_type("a list of strings")
            return
        for index, value in enumerate(self.value):
            item = Entry((*self.path, index), value, self.mistakes)
            if isinstance(value, str):
                yield item, value
            else:
                item.refuse_type("a string")


def advice(name: str, known: Sequence[str]) -> str:
    """Return what a misspelt name was meant to be, or all valid names."""
    meant = nearest(name, known)
    return f"did you mean `{meant}`?" if meant else f"there are {', '.join(known)}"


def dotted(path: KeyPath) -> str:
    """Return a path as TOML writes it: `tool.torchlint.select[1]`, with quotes where a key needs them."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f"{'.' if text else ''}{part if _PLAIN.fullmatch(part) else _quoted(part)}"
    return text


def _quoted(key: str) -> str:
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _kind(value: object) -> str:
    """Return the type of a value, in words; types outside the table are dates and times."""
    return _KINDS.get(type(value), "a date or time")
