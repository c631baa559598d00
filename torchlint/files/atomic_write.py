"""Write a file completely, or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(file: Path, data: bytes) -> None:
    """Replace the contents of a file, or make the file and its folder; raises `OSError`.

    A link to the file is kept, and so are its permissions.
    """
    target = Path(os.path.realpath(file))
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_mask()
    descriptor, name = tempfile.mkstemp(prefix=".torchlint-", dir=target.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as written:
            written.write(data)
        fresh.chmod(mode)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def _mask() -> int:
    """Return the user's mask for permissions of new files: the only way to read it is to set it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
