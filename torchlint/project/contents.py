"""The bytes of files in which words and texts are searched: those of programs."""

from __future__ import annotations

import re
from pathlib import Path

from torchlint.comments import uncommented
from torchlint.files.notebook_names import is_notebook
from torchlint.files.regular import read_regular
from torchlint.source import UnreadableSourceError, read_source

_DIGITS = b"0123456789"
_AFTER_DIGITS = b":"  # all other first characters of words are greater
WORDS_APART = re.sub(rb"[^A-Za-z0-9_]", b" ", bytes(range(256)))
"""The table that splits words: every byte that is in no word becomes a space."""
_MOST_BYTES = 2_000_000


def searched(path: Path, data: bytes) -> bytes:
    """Return the bytes to search in a file: those of a program, and none of a generated one.

    The images and the prose of a notebook contain words without meaning, and so do comment lines.
    """
    if is_notebook(path.name):
        return uncommented(_program_of(path, data))
    return uncommented(data) if len(data) <= _MOST_BYTES else b""


def words_in(data: bytes) -> set[bytes]:
    """Return the words in a file."""
    # A third faster than to find each with a regular expression.
    found = set(data.translate(WORDS_APART).split())
    if numbered := {word for word in found if word < _AFTER_DIGITS}:
        found -= numbered
        found.update(word.lstrip(_DIGITS) for word in numbered)
        found.discard(b"")
    return found


def adds_folders(data: bytes) -> bool:
    """Tell whether a program may add to the folders that its imports are searched in."""
    return b"sys.path" in data or b"path.append" in data


def read_code(path: Path) -> bytes:
    """Return the bytes to search of a file on the disk, none if it cannot be read."""
    try:
        is_small = is_notebook(path.name) or path.stat().st_size <= _MOST_BYTES
        return searched(path, read_regular(path)) if is_small else b""
    except OSError:
        return b""


def _program_of(path: Path, data: bytes) -> bytes:
    try:
        return read_source(path.name, data).text.encode()
    except UnreadableSourceError:
        return b""


def as_bytes(text: str) -> bytes:
    """Return a text as programs contain it; the name of a file may be no Unicode, and then none can."""
    return text.encode("utf-8", "surrogatepass")
