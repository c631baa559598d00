"""The hash by which GitHub's code scanning recognizes a line after the lines above it have changed.

CodeQL defined it (`fingerprints.ts` in github/codeql-action): a rolling hash to the base of 37 over the hundred UTF-16
units from the beginning of the line, without spaces and tabs, and how many lines before had the same one.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence

_WINDOW = 100
_BASE = 37
_SIZE = 1 << 64
_END = "\uffff"
_SPACES = re.compile("[ \t]")


class LineHashes:
    """The hashes of the lines of a file; one is computed at its first use."""

    def __init__(self, lines: Sequence[str]) -> None:
        seen: Counter[str] = Counter()
        self._windows: list[tuple[str, int]] = []
        for window in _windows(lines):
            seen[window] += 1
            self._windows.append((window, seen[window]))

    def of(self, line: int) -> str:
        """Return the hash of a line by its number."""
        window, occurrence = self._windows[line - 1]
        return f"{_hash(window):x}:{occurrence}"


def _windows(lines: Sequence[str]) -> Iterator[str]:
    """Yield the beginning of each line, and what follows it if the line is short."""
    text = _SPACES.sub("", "\n".join(lines)) + _END
    start = 0
    for _ in lines:
        # A character is one unit or two, so that these are enough.
        yield text[start : start + _WINDOW]
        start = text.find("\n", start) + 1


def _hash(window: str) -> int:
    """Return the hash of a window, as if zeros followed the end of the file."""
    data = window.encode("utf-16-le", "surrogatepass")
    units = struct.unpack(f"<{len(data) // 2}H", data)[:_WINDOW]
    value = 0
    for unit in (*units, *[0] * (_WINDOW - len(units))):
        value = (_BASE * value + unit) % _SIZE
    return value
