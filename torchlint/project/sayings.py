"""What the bytes of a program show before it is parsed: what it may call, and from which classes it derives.

It is loaded only if something is looked up: a clean file does not need it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Set as AbstractSet

from torchlint.project.contents import WORDS_APART, as_bytes
from torchlint.project.dependencies import How

_PARTS = frozenset(bytes((one,)) for one in WORDS_APART if one != ord(" "))
_DEFINING = (b"def ", b"class ")
# `getattr(hook, "name")(…)` calls by a string.
_CALLED = re.compile(rb"[ \t]*\(|[ \t]+as\b|[\"'],?\s*\)[ \t]*\(")
# An argument, an assigned value or an entry of a table ends so, and begins after one of these, or a line.
_WHOLE = re.compile(rb"[ \t]*(?:[],)}#;\r\n\\]|\Z)")
_HANDING_ON = (b".", b"(", b"[", b",", b"=", b"\r", b"\n", b"':", b'":')
_WIDEST = 200
_HEAD = re.compile(rb"class\s+(\w+)\s*\(([^:]*)")
_OTHERWISE = re.compile(rb" as\s+(\w+)")
_PROPERTY = re.compile(rb"@property\b[^\n]*\n(?:[ \t]*(?:[@#][^\n]*)?\r?\n)*[ \t]*def[ \t]+(\w+)")
_WORD = re.compile(rb"\w+")
_INNER = re.compile(rb"(?<=\W)[A-Za-z_]\w*(?=\W)")
_FIRST = re.compile(rb"[A-Za-z_]\w*(?=\W)")
_LAST = re.compile(rb"(?<=\W)\w+\Z")


def inner_words(text: bytes) -> list[bytes]:
    """Return the words of a text that neither begin nor end it: every file with the text has these."""
    return _INNER.findall(text)


def outer_words(text: bytes) -> tuple[bytes, bytes]:
    """Return the ends of the words that begin and that end a text; empty where it begins or ends between words."""
    first, last = _FIRST.match(text), _LAST.search(text)
    return first[0] if first is not None else b"", last[0].lstrip(b"0123456789") if last is not None else b""


def is_found(how: How, texts: tuple[str, ...], data: bytes, words: AbstractSet[bytes]) -> bool:
    """Tell whether a program contains a text, whose words are known too; of several, any."""
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
        case "computed":
            return text in words and text in properties_in(data)


def uses(name: bytes, data: bytes) -> bool:
    """Tell whether a program may call something by a name, pass it on, store it or rename it: prose does not."""
    assert name, "every place of a program has nothing before it"
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
    """Return the names by which a program derives from a class: those of the classes that it names it as a base of.

    An alias of the class in an import is one of these, for more classes may derive from that.
    """
    found: defaultdict[bytes, set[bytes]] = defaultdict(set)
    for heir, bases in _HEAD.findall(data):
        for base in _WORD.findall(bases):
            found[base].add(heir)
    for other in _OTHERWISE.finditer(data):
        for name in data[max(other.start() - _WIDEST, 0) : other.start()].translate(WORDS_APART).split()[-1:]:
            found[name].add(other[1])
    return found


def properties_in(data: bytes) -> set[bytes]:
    """Return the names of the properties that the classes of a program define."""
    return set(_PROPERTY.findall(data)) if b"@property" in data else set()
