"""`--output`: write the findings to files, each completely, or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from stat import S_IMODE

from torchlint.cli.options import OutputFile
from torchlint.errors import RunError, in_words
from torchlint.files.existence import is_file, is_present
from torchlint.output import OutputSettings, render
from torchlint.report import FileReport
from torchlint.terminal.text import printable


def write_files(
    outputs: Iterable[OutputFile], reports: Sequence[FileReport], settings: OutputSettings
) -> Iterator[RunError]:
    """Write each file, and its folder if there is none, and yield what cannot be written."""
    settings = replace(settings, color=False, hyperlinks=False, width=None, most=0, to_file=True)
    for output in outputs:
        if reason := _failure(output.path, render(output.form, reports, settings)):
            name = output.path.as_posix()
            yield RunError(name, "unwritable-output", f"cannot write {printable(name)}: {reason}")


def _failure(path: Path, pieces: Iterable[str]) -> str:
    """Write a file, and return why that failed, empty if it did not."""
    try:
        _write(path, pieces)
    except OSError as error:
        return in_words(error)
    return ""


def _write(path: Path, pieces: Iterable[str]) -> None:
    # A pipe, and /dev/stderr in any case, is written to; only a regular file can be replaced.
    if path.is_relative_to("/dev") or (is_present(path) and not is_file(path)):
        with path.open("a", encoding="utf-8", newline="\n") as stream:
            stream.writelines(pieces)
        return
    target = Path(os.path.realpath(path))
    mode = _mode(target)
    # The next call reports something that exists and is no folder.
    with suppress(FileExistsError):
        target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".torchlint-", dir=target.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        fresh.chmod(mode)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def _mode(target: Path) -> int:
    """Return the mode of the file that is replaced, or that of a new one; raises for one that is read-only."""
    if is_present(target):
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
