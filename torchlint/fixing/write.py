"""Write a fixed file completely, or not at all."""

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
# A full disk, an exhausted quota, a file larger than allowed: the next one will fail as well.
_NO_ROOM = frozenset(getattr(errno, name, errno.ENOSPC) for name in ("ENOSPC", "EDQUOT", "EFBIG"))


class NotWrittenError(Exception):
    """A file was not written: `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NoRoomError(NotWrittenError):
    """A file was not written, for lack of space."""


def write(path: Path, before: bytes, after: bytes) -> None:
    """Replace the bytes that were read; raises `NotWrittenError` if they have changed since.

    The mode of the file is kept, and so is a link to it. If the disk is full, it is a `NoRoomError`.
    """
    # The link may lead to another folder: the new file is made next to the old one, to replace it there.
    target = Path(os.path.realpath(path))
    try:
        _write(target, before, after)
    except OSError as error:
        kind = NoRoomError if error.errno in _NO_ROOM else NotWrittenError
        raise kind(in_words(error)) from error


def _write(target: Path, before: bytes, after: bytes) -> None:
    status = target.stat()
    # Also checked for root: read-only is what the author wants.
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
    """Give a new file the owner of the old one, as far as that is permitted."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(fresh, status.st_uid, status.st_gid)
