"""Read a file of TOML, or report in a line why it cannot be read; and write values as TOML."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from torchlint.errors import UsageError, in_words
from torchlint.files.display_path import shown
from torchlint.files.regular import MOST_OF_SETTINGS, read_regular

_PLACED = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
# Python's parser takes the square of the number of parts; keys of projects have a few.
_LONG_KEY = re.compile(r"""(?<![\w.-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){100}""")
_SPECIAL = re.compile(r'[\x00-\x1f\x7f"\\]')


@dataclass(frozen=True, slots=True)
class Document:
    """A file of TOML, as text without CR and as a table."""

    shown: str
    text: str
    table: dict[str, object]


def read_toml(file: Path) -> Document:
    """Read a file; raises `UsageError` if it cannot be read."""
    return toml_document(shown(file), read_text(file))


def toml_document(name: str, text: str) -> Document:
    """Return a text as a document, with a name for messages."""
    if _LONG_KEY.search(text):
        raise UsageError(f"{name} is nested too deeply to be read")
    try:
        return Document(name, text, parsed(text))
    except RecursionError:
        raise UsageError(f"{name} is nested too deeply to be read") from None
    # `TOMLDecodeError` is one; an integer with too many digits is another.
    except ValueError as error:
        raise UsageError(f"{name} is not valid TOML: {_with_place(str(error), name, text)}") from None


def read_text(file: Path) -> str:
    """Return the text of a file of UTF-8, without CR before newlines."""
    data = read_bytes(file)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        place = f"byte 0x{data[error.start]:02x} at line {line}, column {column}"
        raise UsageError(f"{shown(file)} is not valid UTF-8: {place}") from None


def read_bytes(file: Path) -> bytes:
    """Return the bytes of a file."""
    try:
        return read_regular(file, MOST_OF_SETTINGS)
    except OSError as error:
        raise UsageError(f"cannot read {shown(file)}: {in_words(error)}") from error


def parsed(text: str) -> dict[str, object]:
    """Return the table of a text of TOML."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _with_place(message: str, name: str, text: str) -> str:
    """Return the parser's message and, below it, the position that it names."""
    if (placed := _PLACED.fullmatch(message)) is None:
        return message
    words, line, column = placed.groups()
    if line is None:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    return f"{words[:1].lower()}{words[1:]}\n  --> {name}:{line}:{column}"


def toml(value: object) -> str:
    """Return a string, a truth, a number or a list of them."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{_SPECIAL.sub(_escaped, value)}"'
        case int():
            return str(value)
        case Iterable():
            return f"[{', '.join(map(toml, value))}]"
        case _:
            raise TypeError(value)


def toml_key(key: str) -> str:
    """Return a key, in quotes if it needs them."""
    return key if _PLAIN.fullmatch(key) else toml(key)


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}" if found[0] in '"\\' else f"\\u{ord(found[0]):04x}"
