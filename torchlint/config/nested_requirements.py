"""What the requirements in the folders of a project say, each for the code below it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from torchlint.config.requirements import inferred_companions, inferred_target
from torchlint.pytorch.requirements import Requirements

_FILES = re.compile(r"requirements(.*\.txt)?|environment\.ya?ml|pyproject\.toml|setup\.(cfg|py)")


def nested_requirements(root: Path, folders: Iterable[str]) -> tuple[Requirements, ...]:
    """Return what folders below a project's own require, for those around files, the innermost first."""
    every = {folder for one in folders for folder in _below(str(root), one)}
    found = (_requirements(folder) for folder in sorted(every, key=lambda one: (-len(one), one)) if _has_any(folder))
    return tuple(one for one in found if one.oldest_torch is not None or one.companions)


def _below(root: str, folder: str) -> Iterable[str]:
    within = os.path.join(root, "")  # noqa: PTH118
    while folder.startswith(within) and folder != root:
        yield folder
        folder = os.path.dirname(folder)  # noqa: PTH120


def _has_any(folder: str) -> bool:
    """Tell whether a folder has such a file; most have none, and need not be searched for each name."""
    try:
        return any(_FILES.fullmatch(name) for name in os.listdir(folder))  # noqa: PTH208
    except OSError:
        return False


def _requirements(folder: str) -> Requirements:
    return Requirements(folder, inferred_target(Path(folder)), inferred_companions(Path(folder)))
