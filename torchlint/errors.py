"""Errors that are not findings."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

_LONGEST = 200


class TorchlintError(Exception):
    """Anything that torchlint prints to stderr before it exits with 2.

    `lines` has one complete message each, so that every mistake is reported in one run.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class UsageError(TorchlintError):
    """An impossible request: a missing path, an unknown rule, a wrong config value."""


@dataclass(frozen=True, slots=True)
class RunError:
    """Something that went wrong and is no finding: `kind` is a word such as `rule-failed`, `path` may be empty."""

    path: str
    kind: str
    message: str


def in_words(error: OSError) -> str:
    """Return the message of the system in torchlint's style: without a capital."""
    words = error.strerror or str(error)
    return words[:1].lower() + words[1:]


def one_line_of(error: BaseException, besides: Container[str] = ()) -> str:
    """Return the type, the message and the innermost position of an error in a line, except positions in some files."""
    from pathlib import Path
    from traceback import extract_tb

    words = " ".join(str(error).split())
    if len(words) > _LONGEST:
        words = f"{words[:_LONGEST]}…"
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename not in besides][-1:]
    place = "".join(f" at {Path(frame.filename).name}:{frame.lineno}" for frame in frames)
    return f"{type(error).__name__}{': ' if words else ''}{words}{place}"
