"""What the `.gitignore` files of a repository leave out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"


@dataclass(frozen=True, slots=True)
class Ignored:
    """Patterns, and the folder that they are relative to."""

    base: str
    spec: GitIgnoreSpec

    def says(self, path: str) -> bool | None:
        """Return whether a path is left out, None where no pattern speaks of it; a folder's ends with `/`."""
        return self.spec.check_file(path[len(self.base) :]).include if path.startswith(self.base) else None


def patterns(folder: Path, lines: Iterable[str]) -> Ignored:
    """Return patterns relative to a folder."""
    base = folder.as_posix()
    return Ignored(base if base.endswith("/") else f"{base}/", _spec(tuple(lines)))


def read_patterns(folder: Path) -> Ignored | None:
    """Return what the `.gitignore` of a folder says, None where there is none; raises `OSError`."""
    try:
        data = (folder / NAME).read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    # Git compares bytes; names of files are decoded in the same way.
    return patterns(folder, data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").splitlines())


def is_ignored(path: str, layers: Sequence[Ignored]) -> bool:
    """Tell whether a path is left out; of the layers, outermost first, the innermost that speaks of it decides."""
    return next((said for layer in reversed(layers) if (said := layer.says(path)) is not None), False)


def is_pattern(line: str) -> bool:
    """Tell whether git could make sense of a line."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True


@lru_cache(maxsize=64)
def _spec(lines: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(filter(is_pattern, lines))
