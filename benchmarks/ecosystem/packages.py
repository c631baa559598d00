"""The packages that are linted: wheels of PyPI, pinned by what is in them, fetched once and never committed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from torchlint.errors import UsageError


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel of PyPI."""

    name: str
    version: str
    sha256: str

    @property
    def wheel(self) -> str:
        """Return the name of its file."""
        return f"{self.name.replace('-', '_')}-{self.version}-py3-none-any.whl"


# What takes longest comes first, so that no process is left with it at the end.
PACKAGES = (
    Package("diffusers", "0.42.1", "9154faa704ce00e0b77f568e0d64786064368528aab5fc14eeea92f87d788014"),
    Package("ultralytics", "8.4.190", "bd309728efa168af64d39040136828edd2dbcb4aeceb4510bdff4f3ca0ea01b8"),
    Package("monai", "1.6.1", "dbd3b1dd309e752e0477ed73fde03b92f80ac74bfb8a8c4260f018b5d6ab2b0b"),
    Package("kornia", "0.9.0", "7a1632fe004a305c94f2b979fc6ab4df26e01f925e74bdb9f8b8a03a1229caaf"),
    Package("timm", "1.0.31", "5bd50f7d0fe6d09bf9285ac2523234a1b7e6bf075c0be3e7aed09139fcb617c7"),
    Package("speechbrain", "1.1.2", "9fea4144c917ea58bcf13f17a1a1759179ed7472a30ec8416e7c7c8cf21d9c9a"),
    Package("accelerate", "1.15.0", "97eacca0b73e45cb867dbf8c5d5d4dc32219544300e0c8992c7334dc2ef33cec"),
    Package("peft", "0.21.2", "106ab6077ff72c54d21577f9af5970e34bac7582cb14209f7b2b511e322a4eae"),
    Package("pytorch-lightning", "2.6.6", "71f95c7b22f25c4f91cc659e1734bcdc6c69c8b66543f2ed2d78dbe29ce2f167"),
    Package("torchmetrics", "1.9.0", "bfdcbff3dd1d96b3374bb2496eb39f23c4b28b8a845b6a18c313688e0d2d9ca1"),
)


def wheel_of(package: Package, folder: Path) -> Path:
    """Return where the wheel of a package lies, fetched into a folder where it does not yet.

    Raises `UsageError` where it cannot be had, or where another file lies there.
    """
    wheel = folder / package.wheel
    if not wheel.exists():
        _fetch(package, folder)
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != package.sha256:
        raise UsageError(f"{wheel} is another file: its sha256 is {found}, and not {package.sha256}; remove it")
    return wheel


def _fetch(package: Package, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    wanted = f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n"
    with tempfile.TemporaryDirectory() as scratch:
        requirements = Path(scratch) / "requirements.txt"
        requirements.write_text(wanted, "utf-8")
        options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--dest", str(folder)]
        command = [sys.executable, "-m", "pip", "download", *options, "--requirement", str(requirements)]
        if subprocess.run(command, check=False).returncode:
            raise UsageError(f"{package.wheel} cannot be fetched; put it into {folder} by hand")
