"""Read a file of Python as CPython would, or say why it cannot be read."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from torchlint.finding import Span

# PEP 263: a comment on line one or two, which only a comment may precede.
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")


class UnreadableSourceError(Exception):
    """The bytes are no Python source: `reason` says why in one line, `span` says where."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


@dataclass(frozen=True, slots=True)
class Source:
    r"""The text of a file, and what it takes to write it back unchanged.

    `text` has neither BOM nor any newline but `\n`; `path` is how torchlint names the file in what it prints.
    """

    path: str
    data: bytes
    text: str
    encoding: str


def read_source(path: str, data: bytes) -> Source:
    """Decode the bytes of a Python file.

    Raises `UnreadableSourceError` for bytes that its encoding does not allow, an unknown encoding, or a NUL.
    """
    encoding = _encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise _undecodable(data, encoding, error) from error
    nul = data.find(b"\0")
    if nul >= 0:
        raise UnreadableSourceError("source code cannot contain null bytes", _span_at(data, nul))
    return Source(path, data, text.replace("\r\n", "\n").replace("\r", "\n"), encoding)


def _encoding(data: bytes) -> str:
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    for number, line in enumerate(data.split(b"\n", 2)[:2], 1):
        if cookie := _COOKIE.match(line):
            name = cookie[1].decode("ascii", "replace")
            try:
                return codecs.lookup(name).name
            except LookupError:
                place = Span(number, 1, number, len(line) + 1)
                raise UnreadableSourceError(f"unknown encoding: {name}", place) from None
        if not _BLANK.match(line.rstrip(b"\r")):
            break
    return "utf-8"


def _undecodable(data: bytes, encoding: str, error: UnicodeDecodeError) -> UnreadableSourceError:
    span = _span_at(data, error.start)
    name = "UTF-8" if encoding.startswith("utf-8") else encoding
    byte = data[error.start]
    return UnreadableSourceError(f"not valid {name}: byte 0x{byte:02x} at line {span.line}, column {span.column}", span)


def _span_at(data: bytes, offset: int) -> Span:
    before = data[:offset].decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return Span(line, column, line, column + 1)
