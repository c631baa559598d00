"""Patterns of one folder, rewritten for a folder above it."""

from __future__ import annotations

import re
from pathlib import Path

_SPECIAL = re.compile(r"([*?\[\\])")


def rebased(pattern: str, folder: Path, above: Path) -> str:
    """Return a pattern for the `.gitignore` of a folder above that matches the same as one in a folder."""
    if folder == above:
        return pattern
    sign = "!" if pattern.startswith("!") else ""
    rest = pattern.removeprefix(sign)
    # Without a slash before its end, a pattern matches names at any depth.
    anywhere = "" if "/" in rest.rstrip("/") else "**/"
    prefix = _SPECIAL.sub(r"\\\1", folder.relative_to(above).as_posix())
    return f"{sign}/{prefix}/{anywhere}{rest.lstrip('/')}"
