"""The folder of a cache: its contents may be missing, truncated or not ours, and count as missing then.

It is in the linted project, and may have come with it: none of its links is followed to write or remove something.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from torchlint.errors import UsageError, in_words
from torchlint.files.regular import read_regular

FOLDER = ".torchlint_cache"
_SUFFIX = ".cache"
_KEPT = re.compile(r"[0-9a-f]{32}\.cache")
_SCRATCH = re.compile(r"[0-9a-f]{32}\.\d+\.tmp")
_TAG = "CACHEDIR.TAG"
# https://bford.info/cachedir/: the first 43 bytes are the same for every program.
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# The cache of torchlint: `torchlint clean` removes it.\n"
_OURS = {_TAG: _SIGNATURE, ".gitignore": "*\n"}
_HEAD = 3 * 32
_MOST_KEPT = 16


class Folder:
    """Keeps pairs of bytes by key: a head, and a tail that is read only if it is needed."""

    def __init__(self, path: Path, root: Path | None = None) -> None:
        """Keep entries in a folder, to which none of the links below the root of a project may lead."""
        self.path = Path(os.path.abspath(path))  # noqa: PTH100 -- what `..` means is to be the same everywhere
        self._root = root and Path(os.path.abspath(root))  # noqa: PTH100
        self.is_elsewhere = self._is_linked()

    def head(self, key: str) -> bytes | None:
        """Return the head of an entry, None if there is no valid one."""
        data = self._data(key)
        return None if data is None else _whole(data[0], data[1])

    def tail(self, key: str, head: bytes) -> bytes | None:
        """Return the tail of an entry with a head."""
        data = self._data(key)
        return _whole(data[2], data[3]) if data is not None and data[1] == head else None

    def keep(self, key: str, head: bytes, tail: bytes) -> None:
        """Replace an entry; without permission to write, nothing happens."""
        sums = b"".join(blake2b(part, digest_size=32).digest() for part in (head, tail))
        scratch = self.path / f"{key}.{os.getpid()}.tmp"
        if self.is_elsewhere:
            return
        try:
            self._prepare()
            _write_new(scratch, sums + len(head).to_bytes(32, "big") + head + tail)
            scratch.replace(self.path / f"{key}{_SUFFIX}")
            self._forget_oldest()
        except OSError:
            # A missing cache is not reported: the next run takes longer.
            with suppress(OSError):
                scratch.unlink(missing_ok=True)

    def clean(self) -> bool:
        """Remove the folder, and tell whether there was one; raises `UsageError` if it is not ours."""
        if not self.path.is_dir():
            return False
        if self.is_elsewhere:
            raise UsageError(f"{self.path} is a symbolic link: what it leads to is left as it is")
        try:
            if not self._is_tagged():
                raise UsageError(f"{self.path} is no cache of torchlint's: it is left as it is")
            for path in (*self._named(_KEPT), *self._named(_SCRATCH), *map(self.path.joinpath, _OURS)):
                path.unlink(missing_ok=True)
            self.path.rmdir()
        except OSError as error:
            raise UsageError(f"cannot remove {self.path}: {in_words(error)}") from error
        return True

    def _data(self, key: str) -> tuple[bytes, bytes, bytes, bytes] | None:
        """Return head and tail, each after its checksum."""
        if self.is_elsewhere:
            return None
        try:
            data = read_regular(self.path / f"{key}{_SUFFIX}")
        except OSError:
            return None
        end = _HEAD + int.from_bytes(data[64:_HEAD], "big")
        return data[:32], data[_HEAD:end], data[32:64], data[end:]

    def _prepare(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        # Other files in a folder that is not only ours must not be ignored by git.
        if any(self.path.iterdir()) and not self._is_tagged():
            return
        for name, text in _OURS.items():
            if not os.path.lexists(self.path / name):
                _write_new(self.path / name, text.encode())

    def _is_tagged(self) -> bool:
        return os.path.lexists(self.path / _TAG) and read_regular(self.path / _TAG) == _SIGNATURE.encode()

    def _is_linked(self) -> bool:
        """Tell whether a link leads from the project to the real folder."""
        if self._root is None:
            return False
        if not self.path.is_relative_to(self._root):
            return self.path.is_symlink()
        below = self.path.relative_to(self._root)
        return Path(os.path.realpath(self.path)) != Path(os.path.realpath(self._root), below)

    def _named(self, name: re.Pattern[str]) -> Iterator[Path]:
        """Yield the entries with names of ours."""
        yield from (path for path in self.path.iterdir() if name.fullmatch(path.name))

    def _forget_oldest(self) -> None:
        kept = sorted(self._named(_KEPT), key=lambda path: path.lstat().st_mtime_ns)
        for path in kept[:-_MOST_KEPT]:
            path.unlink(missing_ok=True)


def _write_new(path: Path, data: bytes) -> None:
    """Write a file that must not exist, not even as a dangling link."""
    with path.open("xb") as file:
        file.write(data)


def _whole(checksum: bytes, part: bytes) -> bytes | None:
    return part if blake2b(part, digest_size=32).digest() == checksum else None
