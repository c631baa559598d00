"""Write a file in one go, or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(file: Path, data: bytes) -> None:
    """Put bytes in the place of what a file holds, or make the file and its folder; raises `OSError`.

    What is a link to the file stays one, and who could read the file still can.
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
    """Return what the user lets nobody do with new files: the only way to ask is to set it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
