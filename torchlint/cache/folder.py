"""The folder of a cache: what is kept there may be missing, cut short or somebody else's, and is then not there."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from torchlint.errors import UsageError, in_words

FOLDER = ".torchlint_cache"
_SUFFIX = ".cache"
_TAG = "CACHEDIR.TAG"
# https://bford.info/cachedir/: the first 43 bytes are the same for every program.
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# The cache of torchlint: `torchlint clean` removes it.\n"
_OURS = {_TAG: _SIGNATURE, ".gitignore": "*\n"}
_HEAD = 3 * 32
_MOST_KEPT = 16


class Folder:
    """Keeps pairs of bytes by key: a head, and a tail that is read only where it is needed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def head(self, key: str) -> bytes | None:
        """Return the first of what was kept, None where nothing whole is."""
        data = self._data(key)
        return None if data is None else _whole(data[0], data[1])

    def tail(self, key: str, head: bytes) -> bytes | None:
        """Return what was kept together with a head."""
        data = self._data(key)
        return _whole(data[2], data[3]) if data is not None and data[1] == head else None

    def keep(self, key: str, head: bytes, tail: bytes) -> None:
        """Keep something in place of what was kept before; where nothing can be written, nothing is."""
        sums = b"".join(blake2b(part, digest_size=32).digest() for part in (head, tail))
        scratch = self.path / f"{key}.{os.getpid()}.tmp"
        try:
            self._prepare()
            scratch.write_bytes(sums + len(head).to_bytes(32, "big") + head + tail)
            scratch.replace(self.path / f"{key}{_SUFFIX}")
            self._forget_oldest()
        except OSError:
            # A cache is worth no word to who has none: the next run takes longer.
            with suppress(OSError):
                scratch.unlink(missing_ok=True)

    def clean(self) -> bool:
        """Remove the folder, and tell whether there was one; raises `UsageError` where it is not ours."""
        if not self.path.is_dir():
            return False
        try:
            if (self.path / _TAG).read_text("utf-8") != _SIGNATURE:
                raise UsageError(f"{self.path} is no cache of torchlint's: it is left as it is")
            for path in (*self.path.glob(f"*{_SUFFIX}"), *self.path.glob("*.tmp"), *map(self.path.joinpath, _OURS)):
                path.unlink(missing_ok=True)
            self.path.rmdir()
        except FileNotFoundError:
            raise UsageError(f"{self.path} is no cache of torchlint's: it is left as it is") from None
        except OSError as error:
            raise UsageError(f"cannot remove {self.path}: {in_words(error)}") from error
        return True

    def _data(self, key: str) -> tuple[bytes, bytes, bytes, bytes] | None:
        """Return head and tail, each behind its checksum."""
        try:
            data = (self.path / f"{key}{_SUFFIX}").read_bytes()
        except OSError:
            return None
        end = _HEAD + int.from_bytes(data[64:_HEAD], "big")
        return data[:32], data[_HEAD:end], data[32:64], data[end:]

    def _prepare(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        for name, text in _OURS.items():
            if not (self.path / name).exists():
                (self.path / name).write_text(text, "utf-8")

    def _forget_oldest(self) -> None:
        kept = sorted(self.path.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
        for path in kept[:-_MOST_KEPT]:
            path.unlink(missing_ok=True)


def _whole(checksum: bytes, part: bytes) -> bytes | None:
    return part if blake2b(part, digest_size=32).digest() == checksum else None
