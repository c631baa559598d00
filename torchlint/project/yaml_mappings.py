"""Read the mappings of a YAML file of settings: keys, scalars and mappings in blocks, by indentation.

Anchors, tags, lists and braces are values that are unknown; what is no mapping at all is refused. PyYAML, which needs
not be installed, reads YAML 1.1, in which `off` and `no` are false. https://yaml.org/spec/1.1/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

_ENTRY = re.compile(r"""(?P<key>[\w.\-/]+|"[^"]*"|'[^']*')\s*:(?:\s+(?P<value>.*))?""")
_BOOLEANS = {
    **dict.fromkeys(("true", "yes", "on"), True),
    **dict.fromkeys(("false", "no", "off"), False),
}
_PLAIN = re.compile(r"[A-Za-z][\w\-]*")

Mapping: TypeAlias = "dict[str, object]"
UNREAD = object()
"""A value that is not read."""


def yaml_mapping(text: str) -> Mapping | None:
    """Return the mapping that a text of YAML is, None for anything else or for several documents."""
    root: Mapping = {}
    open_blocks: list[tuple[int, Mapping]] = [(0, root)]
    skipped: int | None = None  # the indentation of the key whose value is not read
    waiting: tuple[int, Mapping, str] | None = None  # a key whose value may be the block below it
    for number, (indent, line) in enumerate(_lines(text)):
        if line == "---" and number == 0:
            continue
        if waiting is not None and indent >= waiting[0] and line.startswith("-"):
            skipped = waiting[0]  # a list
        if skipped is not None and (indent > skipped or (indent == skipped and line.startswith("-"))):
            waiting = None
            continue
        skipped = None
        if waiting is not None and indent > waiting[0]:
            open_blocks.append((indent, _block(waiting)))
        waiting = None
        while open_blocks and open_blocks[-1][0] > indent:
            open_blocks.pop()
        entry = _ENTRY.fullmatch(line)
        if entry is None or not open_blocks or open_blocks[-1][0] != indent:
            return None
        block, key, value = open_blocks[-1][1], entry["key"].strip("\"'"), entry["value"] or ""
        block[key] = _scalar(value)
        if not value:
            waiting = indent, block, key
        elif value[0] in "|>&*!{[":
            skipped = indent
    return root


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, without comments, each with its indentation."""
    for line in text.splitlines():
        code = re.sub(r"(^|\s)#.*", "", line.replace("\t", " ")).rstrip()
        if code:
            yield len(code) - len(code.lstrip()), code.lstrip()


def _block(waiting: tuple[int, Mapping, str]) -> Mapping:
    _, owner, key = waiting
    inner: Mapping = {}
    owner[key] = inner
    return inner


def _scalar(value: str) -> object:
    if value.lower() in _BOOLEANS:
        return _BOOLEANS[value.lower()]
    text = value.strip("\"'")
    return text if _PLAIN.fullmatch(text) is not None else UNREAD
