"""Read a file of Python as CPython would, or report why it cannot be read."""

from __future__ import annotations

import ast
import codecs
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from torchlint.files.notebook_names import is_notebook
from torchlint.finding import Span
from torchlint.older import later_async, of_older_python, said_of_async
from torchlint.trees import tree_of

if TYPE_CHECKING:
    from torchlint.notebook.layout import Notebook

# PEP 263: a comment on line one or two, which only a comment may precede.
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_NEWLINE = re.compile(rb"\r\n|\r|\n")
# CPython's own names: what begins so, Emacs's `latin-1-unix` included, is one of these two.
_UTF_8 = re.compile(r"utf-8(?:-|$)")
_LATIN_1 = re.compile(r"(?:latin-1|iso-8859-1|iso-latin-1)(?:-|$)")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_START = Span(1, 1, 1, 2)
_LONGEST = 60


class UnreadableSourceError(Exception):
    """The bytes are no Python source: `reason` says why in one line, `span` says where.

    `others` are the places and reasons that are known from the first one.
    """

    def __init__(self, reason: str, span: Span, others: Sequence[tuple[Span, str]] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span
        self.others = tuple(others)


class OtherLanguageError(UnreadableSourceError):
    """The file is a notebook in another language: nothing is wrong with it, but it cannot be linted."""


@dataclass(frozen=True, slots=True)
class Source:
    r"""The text of a file, and what is needed to write it back unchanged.

    `text` has neither BOM nor any newline but `\n`; `path` is the file's name in output. Of a notebook `text` is the
    program of its code cells, and `notebook` has the positions of its lines.
    """

    path: str
    data: bytes
    text: str
    encoding: str
    notebook: Notebook | None = None
    is_translated: bool = False
    """Whether `text` is a translation for a newer Python: it is analysed in place of the file, and never written."""


@dataclass(frozen=True, slots=True)
class _Encoding:
    """An encoding, and where the file declares it: at its start if it declares none."""

    name: str
    place: Span = _START


def read_source(path: str, data: bytes) -> Source:
    """Decode the bytes of a Python file, or of a notebook, by the path.

    Raises `UnreadableSourceError` for bytes that its encoding does not allow, an unknown encoding, a NUL, or what is no
    notebook, and `OtherLanguageError` for a notebook that is not in Python.
    """
    if is_notebook(path):
        return _read_notebook(path, data)
    encoding = _encoding(data)
    nul = data.find(b"\0")
    if nul >= 0 and not data.startswith(_UTF_16):
        raise UnreadableSourceError("source code cannot contain null bytes", _span_at(data, nul, encoding.name))
    text = _decoded(data, encoding)
    return Source(path, data, text.replace("\r\n", "\n").replace("\r", "\n"), encoding.name)


def parse(source: Source) -> ast.Module:
    """Return the tree of a source; raises `UnreadableSourceError` if no known version of Python reads it."""
    try:
        return tree_of(source.text)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        end_line, end_column = error.end_lineno or line, error.end_offset or column + 1
        span = Span(line, column, end_line, max(end_column, column + 1))
        if (reason := said_of_async(source.text, line, column)) is None:
            raise UnreadableSourceError(error.msg, span) from error
        raise UnreadableSourceError(reason, span, tuple(later_async(source.text, line, column))) from error
    except (RecursionError, MemoryError) as error:
        raise UnreadableSourceError("too deeply nested for CPython to parse", _START) from error


def translated(source: Source) -> Source | None:
    """Return what can be read of a source: as an older Python does, and of a notebook the cells that can be parsed.

    None if that is no other text. Every position is kept.
    """
    text = of_older_python(source.text)
    if source.notebook is not None:
        from torchlint.notebook.unparsed import without_unparsed

        text = without_unparsed(text, source.notebook)
    return replace(source, text=text, is_translated=True) if text != source.text else None


def readable_lines(data: bytes) -> list[str]:
    """Return the lines of what is no source, as far as they can be decoded."""
    text = data.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _read_notebook(path: str, data: bytes) -> Source:
    from torchlint.notebook import errors
    from torchlint.notebook.program import read_notebook

    encoding = _Encoding("utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8")
    try:
        text, layout = read_notebook(_decoded(data, encoding))
    except errors.NotebookError as error:
        raise UnreadableSourceError(error.reason, error.span) from error
    except errors.OtherLanguageError as error:
        raise OtherLanguageError(f"a notebook in {_clipped(error.language)}", _START) from error
    return Source(path, data, text, encoding.name, layout)


def _encoding(data: bytes) -> _Encoding:
    declared = _declared(data)
    if data.startswith(codecs.BOM_UTF8):
        if declared is not None and declared.name != "utf-8":
            raise UnreadableSourceError(f"encoding problem: {_clipped(declared.name)} with BOM", declared.place)
        return _Encoding("utf-8-sig")
    return _Encoding("utf-8") if declared is None else _known(declared)


def _declared(data: bytes) -> _Encoding | None:
    """Return the encoding that the cookie of a file names, in CPython's spelling."""
    lines = _NEWLINE.split(data.removeprefix(codecs.BOM_UTF8), maxsplit=2)[:2]
    for number, line in enumerate(lines, 1):
        if cookie := _COOKIE.match(line):
            name = cookie[1].decode("ascii")
            start, end = (len(line[:offset].decode("utf-8", "replace")) + 1 for offset in cookie.span(1))
            return _Encoding(_normal(name), Span(number, start, number, end))
        if not _BLANK.match(line):
            break
    return None


def _normal(name: str) -> str:
    lowered = name[:12].lower().replace("_", "-")
    if _UTF_8.match(lowered):
        return "utf-8"
    return "iso-8859-1" if _LATIN_1.match(lowered) else name


def _known(declared: _Encoding) -> _Encoding:
    """Return the encoding by Python's name for it."""
    try:
        return _Encoding(codecs.lookup(declared.name).name, declared.place)
    except LookupError:
        raise UnreadableSourceError(f"unknown encoding: {_clipped(declared.name)}", declared.place) from None


def _decoded(data: bytes, encoding: _Encoding) -> str:
    try:
        # Some codecs warn of what they decode.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = data.decode(encoding.name)
    except LookupError:
        raise UnreadableSourceError(f"'{encoding.name}' is not a text encoding", encoding.place) from None
    except UnicodeDecodeError as error:
        raise _undecodable(data, encoding.name, error) from error
    except UnicodeError as error:
        raise UnreadableSourceError(f"cannot be decoded as {encoding.name}", encoding.place) from error
    if not encoding.name.startswith("utf-8"):
        _refuse_what_no_source_holds(text, encoding)
    return text


def _refuse_what_no_source_holds(text: str, encoding: _Encoding) -> None:
    """Raise for characters that only unusual encodings can write: UTF-7 and the like encode anything in ASCII."""
    if "\0" in text:
        raise UnreadableSourceError("source code cannot contain null bytes", encoding.place)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UnreadableSourceError(f"not valid {encoding.name}: {error.reason}", encoding.place) from error


def _undecodable(data: bytes, encoding: str, error: UnicodeDecodeError) -> UnreadableSourceError:
    if data.startswith(_UTF_16):
        return UnreadableSourceError("not valid UTF-8 but UTF-16: save it as UTF-8", _START)
    # The codec of files with a BOM counts from after it.
    span = _span_at(error.object, error.start, encoding)
    byte = f"byte 0x{error.object[error.start]:02x} at line {span.line}, column {span.column}"
    if encoding.startswith("utf-8"):
        return UnreadableSourceError(f"not valid UTF-8: {byte}: save it as UTF-8", span)
    return UnreadableSourceError(f"not valid {encoding}: {byte}", span)


def _span_at(data: bytes, offset: int, encoding: str) -> Span:
    try:
        before = data[:offset].decode(encoding, "replace")
    except (LookupError, UnicodeError):
        before = data[:offset].decode("latin-1")
    before = before.replace("\r\n", "\n").replace("\r", "\n")
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return Span(line, column, line, column + 1)


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
