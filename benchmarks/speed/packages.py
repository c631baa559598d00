"""The real code that is linted: packages of PyPI, pinned, fetched once and never committed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PINNED = {"timm": "1.0.22", "ultralytics": "8.4.190", "diffusers": "0.42.1", "transformers": "5.23.0"}


def fetched(folder: Path) -> dict[str, Path]:
    """Return where each package lies, fetched where it does not yet."""
    return {name: _fetched(folder / name, name, version) for name, version in PINNED.items()}


def _fetched(folder: Path, name: str, version: str) -> Path:
    if not (folder / f"{name}-{version}.dist-info").is_dir():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
        subprocess.run([*command, f"{name}=={version}"], check=True)
    return folder / name
