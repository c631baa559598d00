"""One line on stderr for a wait of more than a second."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from torchlint.terminal.capabilities import is_terminal

_PATIENCE = 1.0
_INTERVAL = 0.1
_CLEAR = "\r\x1b[K"


class Progress:
    """Counts files that are done; without a terminal it writes nothing."""

    def __init__(self, files: int, *, quiet: bool = False) -> None:
        self._files = files
        self._stream: TextIO | None = sys.stderr if not quiet and is_terminal(sys.stderr) else None
        self._next = time.monotonic() + _PATIENCE
        self._done = 0
        self._shown = False

    def step(self) -> None:
        """Count one more file."""
        self._done += 1
        if self._stream is None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _INTERVAL
        self._shown = True
        self._stream.write(f"{_CLEAR}{self._done} of {self._files} files")
        self._stream.flush()

    def clear(self) -> None:
        """Clear the line."""
        if self._stream is not None and self._shown:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._shown = False
