"""Write a mended file in one go, or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_IWGRP, S_IWOTH, S_IWUSR

from torchlint.errors import in_words
from torchlint.files.regular import read_regular

_WRITABLE = S_IWUSR | S_IWGRP | S_IWOTH
# A full disk, a quota that is used up, a file larger than it may be: the next one will do no better.
_NO_ROOM = frozenset(getattr(errno, name, errno.ENOSPC) for name in ("ENOSPC", "EDQUOT", "EFBIG"))


class NotWrittenError(Exception):
    """A file was left as it is: `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NoRoomError(NotWrittenError):
    """A file was left as it is, as there is no room for another."""


def write(path: Path, before: bytes, after: bytes) -> None:
    """Put new bytes in the place of those that were read; raises `NotWrittenError` where they are others by now.

    The mode of the file is kept, and what is a link to it stays one. Where the disk is full, it is a `NoRoomError`.
    """
    # The link may lead to another folder: the new file is made where the old one is, to take its name there.
    target = Path(os.path.realpath(path))
    try:
        _write(target, before, after)
    except OSError as error:
        kind = NoRoomError if error.errno in _NO_ROOM else NotWrittenError
        raise kind(in_words(error)) from error


def _write(target: Path, before: bytes, after: bytes) -> None:
    status = target.stat()
    # Who may do everything is asked all the same: read-only is what the author wants.
    if not status.st_mode & _WRITABLE or not os.access(target, os.W_OK):
        raise NotWrittenError("is read-only")
    descriptor, name = tempfile.mkstemp(prefix=".torchlint-", dir=target.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        _keep_owner(fresh, status)
        fresh.chmod(S_IMODE(status.st_mode))
        if read_regular(target) != before:
            raise NotWrittenError("changed while it was being fixed")
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def _keep_owner(fresh: Path, status: os.stat_result) -> None:
    """Give a new file to the owner of the old one, as far as that is ours to do."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(fresh, status.st_uid, status.st_gid)
