"""Write to a terminal, a pipe or a file that may be closed, full or of a limited encoding."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from io import TextIOWrapper
from typing import TextIO

from torchlint.errors import TorchlintError, in_words
from torchlint.terminal.text import printable


def tolerate_any_text() -> None:
    """Write a question mark for what stdout cannot encode."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def write(pieces: Iterable[str]) -> None:
    """Write to stdout piece by piece; raises `TorchlintError` if that fails, `BrokenPipeError` if the reader is gone.

    Pieces are made as they are written: exceptions in making them pass through.
    """
    for piece in pieces:
        _written(piece)
    flush()


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout; raises as `write` does."""
    if sys.stdout is None:
        raise _unwritable("it is closed")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(in_words(error)) from error
    flush()


def flush() -> None:
    """Flush stdout; raises as `write` does."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(in_words(error)) from error


def tell(text: str) -> None:
    """Write lines to stderr, if it is open, and nothing that moves the cursor."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write("".join(f"{printable(line)}\n" for line in text.split("\n")))
        sys.stderr.flush()
    except BrokenPipeError:
        _forget(sys.stderr)


def tell_lines(pieces: Iterable[str]) -> None:
    """Write the text of an output format to stderr."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.writelines(pieces)
        sys.stderr.flush()
    except BrokenPipeError:
        _forget(sys.stderr)


def forget_stdout() -> None:
    """Discard everything written to stdout from now on, buffered text included."""
    if sys.stdout is not None:
        _forget(sys.stdout)


def _written(piece: str) -> None:
    # Python's stdout if it was closed before the start.
    if sys.stdout is None:
        raise _unwritable("it is closed")
    try:
        sys.stdout.write(piece)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(in_words(error)) from error


def _unwritable(reason: str | None) -> TorchlintError:
    forget_stdout()
    return TorchlintError(f"cannot write to stdout: {reason}")


def _forget(stream: TextIO) -> None:
    # Python flushes its streams at exit, and would complain of a closed pipe.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
