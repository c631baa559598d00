"""Quote a file that a finding points into and that was not linted just now."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from torchlint.source import UnreadableSourceError, read_source

_LARGEST = 2 * 1024 * 1024
_KEPT = 16


class Quotations:
    """The lines of files as they are on the disk, the last few of them kept."""

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd
        self.lines = lru_cache(maxsize=_KEPT)(self._read)

    def _read(self, path: str) -> tuple[str, ...]:
        """Return the lines of a file, none where it cannot be read, is no file, or is too large to be worth it."""
        place = self._cwd / path
        try:
            # A pipe would block, and a device never end.
            if not place.is_file():
                return ()
            with place.open("rb") as file:
                data = file.read(_LARGEST + 1)
            return tuple(read_source(path, data).text.split("\n")) if len(data) <= _LARGEST else ()
        except (OSError, ValueError, UnreadableSourceError):
            return ()
