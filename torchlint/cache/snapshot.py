"""The state of a project's files: by their dates if that is safe, else by their bytes."""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from torchlint.comments import bare
from torchlint.files.checkout import checkout
from torchlint.files.notebook_names import is_notebook
from torchlint.files.regular import read_regular

_PER_FILE = 3
# Some file systems count in seconds, and a file may change twice in one.
_FRESH = 2_000_000_000
_UNKNOWN = (-1, -1, -1)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The Python files of a project in order, size and dates of each, and the folders that were passed over."""

    paths: list[str]
    dates: list[int]
    passed_over: list[str]

    def dates_of(self, number: int) -> tuple[int, ...]:
        """Return size and dates of a file; negative if they prove nothing."""
        return tuple(self.dates[number * _PER_FILE : (number + 1) * _PER_FILE])


def snapshot(root: str, linted: Collection[str]) -> Snapshot:
    """Return the files below a root, and after them those that are linted elsewhere."""
    found = checkout(root, len(linted))
    paths = list(dict.fromkeys((*found.files, *linted)))
    now = time.time_ns()
    dates = [date for path in paths for date in _dates(path, now)]
    # A folder whose name is no identifier cannot be imported from.
    names = (path for path in found.passed_over if os.path.basename(path).isidentifier())  # noqa: PTH119
    return Snapshot(paths, dates, sorted(path for path in names if not path.endswith("__pycache__")))


def digest(data: bytes) -> str:
    """Return a digest of some bytes."""
    return blake2b(data, digest_size=16).hexdigest()


def meaning(path: str, data: bytes) -> str:
    """Return a digest of what others can see of a file: of a program, all but comments and empty lines."""
    return digest(data if is_notebook(path) else bare(data))


def imports(path: str, data: bytes) -> str:
    """Return a digest of a file's imports."""
    from torchlint.project.contents import searched
    from torchlint.project.import_statements import imports_said

    return digest(imports_said(searched(Path(path), data)))


def read(path: str) -> bytes | None:
    """Return the bytes of a file, None where they cannot be read."""
    try:
        return read_regular(path)
    except OSError:
        return None


def _dates(path: str, now: int) -> tuple[int, int, int]:
    try:
        found = os.stat(path)  # noqa: PTH116 -- thousands of files
    except OSError:
        return _UNKNOWN
    # The date of the last change of anything, dates included, cannot be set.
    if max(found.st_mtime_ns, found.st_ctime_ns) > now - _FRESH:
        return (found.st_size, -found.st_mtime_ns, -found.st_ctime_ns)
    return (found.st_size, found.st_mtime_ns, found.st_ctime_ns)
