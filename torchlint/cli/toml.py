"""Write values as TOML."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_SPECIAL = re.compile(r'[\x00-\x1f\x7f"\\]')


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
    """Return a key, in quotes where it needs them."""
    return key if _PLAIN.fullmatch(key) else toml(key)


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}" if found[0] in '"\\' else f"\\u{ord(found[0]):04x}"
