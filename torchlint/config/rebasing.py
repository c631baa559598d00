"""Patterns of one folder, as a folder above it has to write them."""

from __future__ import annotations

import re
from pathlib import Path

_SPECIAL = re.compile(r"([*?\[\\])")


def rebased(pattern: str, folder: Path, above: Path) -> str:
    """Return a pattern as in the `.gitignore` of a folder, as one in that of a folder above it that means the same."""
    if folder == above:
        return pattern
    sign = "!" if pattern.startswith("!") else ""
    rest = pattern.removeprefix(sign)
    # Without a slash before its end, a pattern means names at any depth.
    anywhere = "" if "/" in rest.rstrip("/") else "**/"
    prefix = _SPECIAL.sub(r"\\\1", folder.relative_to(above).as_posix())
    return f"{sign}/{prefix}/{anywhere}{rest.lstrip('/')}"
