"""The changes of a file in the format of `patch`."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from torchlint.terminal.style import Style
from torchlint.terminal.text import printable

_NO_NEWLINE = "\\ No newline at end of file\n"


def unified(path: str, before: str, after: str, style: Style, *, is_terminal: bool = False) -> Iterator[str]:
    """Yield the unified diff of two texts of a file, without control characters on a terminal."""
    for line in unified_diff(_lines(before), _lines(after), path, path):
        body = line.removesuffix("\n")
        shown = printable(body) if is_terminal else body
        if line.startswith(("---", "+++")):
            yield f"{style.bold(shown)}\n"
        else:
            yield f"{style.changed(shown, line[:1])}\n"
        if body == line:
            yield _NO_NEWLINE


def _lines(text: str) -> list[str]:
    # `splitlines` would break at form feeds too.
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]
