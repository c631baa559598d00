"""What is linted: packages, our own fixtures, and a folder of cases where there is one."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ecosystem.packages import Package
from benchmarks.ecosystem.probe import SUFFIXES


@dataclass(frozen=True, slots=True)
class Subject:
    """A wheel or a folder, `of` what makes it another one, and how deep below it its projects lie."""

    name: str
    place: Path
    of: str
    depth: int = 0

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Return the folder to lint: of a wheel, one that it is unpacked into meanwhile."""
        if self.place.is_dir():
            yield self.place
            return
        with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(self.place) as wheel:
            wheel.extractall(scratch)
            yield Path(scratch)


def of_package(package: Package, wheel: Path) -> Subject:
    """Return a package as it is linted."""
    return Subject(package.name, wheel, f"{package.version} {package.sha256[:12]}")


def of_folder(name: str, folder: Path, depth: int) -> Subject:
    """Return a folder whose projects lie so deep below it, known by what is in its files."""
    files = (path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    return Subject(name, folder, digest_of(folder, files), depth)


def digest_of(folder: Path, files: Iterable[Path]) -> str:
    """Return what is the same for files of the same names and bytes."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(folder).as_posix()}\0{file.stat().st_size}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
