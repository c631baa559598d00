"""Open an untrusted file: a regular one, and no more of it than a limit.

Git stores links, and an archive may hold anything: `.gitignore` may lead to `/dev/zero`, which never ends, or be a pipe
without a writer.
"""

from __future__ import annotations

import errno
import os
from io import FileIO
from stat import S_ISDIR, S_ISREG

MOST = 100 << 20
"""The bytes of the largest file that is read; GitHub accepts none that is larger."""
MOST_OF_SETTINGS = 4 << 20
"""The bytes of the largest file of settings that is read: none is as large."""
_CHUNK = 1 << 16
# Without `O_NONBLOCK` opening a pipe would block; the others exist where they are needed.
_OPTIONAL = ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT")
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in _OPTIONAL)


class NotRegularError(OSError):
    """A file without a known end: a pipe, a device, a socket."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(errno.EINVAL, "not a regular file", os.fspath(path))


class TooLargeError(OSError):
    """A file has more bytes than the limit of its kind."""

    def __init__(self, path: str | os.PathLike[str], most: int) -> None:
        super().__init__(errno.EFBIG, f"larger than {most >> 20} MiB", os.fspath(path))


def read_regular(path: str | os.PathLike[str], most: int = MOST) -> bytes:
    """Return the bytes of a regular file, up to a limit; raises `OSError`."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        chunks: list[bytes] = []
        left = most + 1
        while size <= most and left and (chunk := file.read(min(left, max(size + 1, _CHUNK)))):
            chunks.append(chunk)
            left -= len(chunk)
    if size > most or not left:
        raise TooLargeError(path, most)
    return b"".join(chunks)


def open_regular(path: str | os.PathLike[str]) -> FileIO:
    """Open a regular file for reading; raises `OSError`."""
    # To open a device can have an effect, and the file may be replaced before it is opened.
    _refuse_others(path, os.stat(path))  # noqa: PTH116 -- thousands of files
    descriptor = os.open(path, _FLAGS)
    try:
        _refuse_others(path, os.fstat(descriptor))
        return FileIO(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _refuse_others(path: str | os.PathLike[str], found: os.stat_result) -> None:
    if S_ISREG(found.st_mode):
        return
    if S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    # A file that should be empty is often a link to it.
    if not os.path.samestat(found, os.stat(os.devnull)):  # noqa: PTH116
        raise NotRegularError(path)
