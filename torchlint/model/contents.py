"""The bytes of files in which words and texts are looked for: those of programs, and what they say before a parse."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Set as AbstractSet
from pathlib import Path

from torchlint.model.asked import How
from torchlint.notebook.names import is_notebook
from torchlint.source import UnreadableSourceError, read_source

_DIGITS = b"0123456789"
# All that no word is made of becomes a space.
_WORDS_APART = re.sub(rb"[^A-Za-z0-9_]", b" ", bytes(range(256)))
_MOST_BYTES = 2_000_000
_PARTS = frozenset(bytes((one,)) for one in range(256) if re.match(rb"\w", bytes((one,))))
_DEFINING = (b"def ", b"class ")
_CALLED = re.compile(rb"[ \t]*\(|[ \t]+as\b")
# What is an argument or is assigned ends so, and begins behind one of these, or a line.
_WHOLE = re.compile(rb"[ \t]*(?:[,)#;\r\n\\]|\Z)")
_HANDING_ON = (b".", b"(", b",", b"=", b"\r", b"\n")
_WIDEST = 200
_HEAD = re.compile(rb"class\s+(\w+)\s*\(([^:]*)")
_OTHERWISE = re.compile(rb" as\s+(\w+)")
_WORD = re.compile(rb"\w+")


def searched(path: Path, data: bytes) -> bytes:
    """Return the bytes in which texts are looked for: those of a program, and nothing of one that nobody wrote.

    The pictures and the prose of a notebook hold words that mean nothing.
    """
    if is_notebook(path.name):
        return code_in(path, data)
    return data if len(data) <= _MOST_BYTES else b""


def words_in(data: bytes) -> set[bytes]:
    """Return the words that a file holds."""
    # A third faster than to look for each with a regular expression.
    found = set(data.translate(_WORDS_APART).split())
    if numbered := {word for word in found if word[0] in _DIGITS}:
        found -= numbered
        found.update(word.lstrip(_DIGITS) for word in numbered)
        found.discard(b"")
    return found


def read_code(path: Path) -> bytes:
    """Return the bytes to look through of a file on the disk, nothing of what cannot be read."""
    try:
        is_small = is_notebook(path.name) or path.stat().st_size <= _MOST_BYTES
        return searched(path, path.read_bytes()) if is_small else b""
    except OSError:
        return b""


def code_in(path: Path, data: bytes) -> bytes:
    """Return the program of a notebook, or a file as it is."""
    if not is_notebook(path.name):
        return data
    try:
        return read_source(path.name, data).text.encode()
    except UnreadableSourceError:
        return b""


def as_bytes(text: str) -> bytes:
    """Return a text as programs say it; the name of a file may be no Unicode, and then none can."""
    return text.encode("utf-8", "surrogatepass")


def is_found(how: How, texts: tuple[str, ...], data: bytes, words: AbstractSet[bytes]) -> bool:
    """Tell whether a text is found in a program, of which the words are known too; of several, any."""
    text = as_bytes(texts[0])
    match how:
        case "held":
            return text in words if texts[0].isidentifier() else text in data
        case "any":
            return any(as_bytes(one) in data for one in texts)
        case "used":
            return uses(text, data)
        case "inherited":
            return text in heirs_in(data)


def uses(name: bytes, data: bytes) -> bool:
    """Tell whether a program may call something by a name, hand it on, or give it another name: prose does not."""
    start = data.find(name)
    while start >= 0:
        end = start + len(name)
        if data[start - 1 : start] not in _PARTS and data[end : end + 1] not in _PARTS:
            before = data[max(start - _WIDEST, 0) : start]
            if _CALLED.match(data, end) is not None and not before.endswith(_DEFINING):
                return True
            if _WHOLE.match(data, end) is not None and (before.rstrip(b" \t") or b"\n").endswith(_HANDING_ON):
                return True
        start = data.find(name, end)
    return False


def heirs_in(data: bytes) -> dict[bytes, set[bytes]]:
    """Return by what names a program goes on from a class: those of the classes that it names it as a base of.

    What the class is called where it is imported by another name is one of these, for more may come of that.
    """
    found: defaultdict[bytes, set[bytes]] = defaultdict(set)
    for heir, bases in _HEAD.findall(data):
        for base in _WORD.findall(bases):
            found[base].add(heir)
    for other in _OTHERWISE.finditer(data):
        for name in data[max(other.start() - _WIDEST, 0) : other.start()].translate(_WORDS_APART).split()[-1:]:
            found[name].add(other[1])
    return found
