"""What the `.gitignore` files of a repository leave out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

NAME = ".gitignore"
# In the regular expressions of pathspec, the slash behind a folder that a pattern matches.
_FOLDER = "ps_d"


@dataclass(frozen=True, slots=True)
class Ignored:
    """Patterns, each with whether it leaves out or takes in again, and the folder that they are relative to."""

    base: str
    rules: tuple[tuple[re.Pattern[str], bool], ...]

    def says(self, path: str) -> bool | None:
        """Return whether a path is left out, or a folder that it is in; None where no pattern speaks of it."""
        if not path.startswith(self.base):
            return None
        slashes = (found.end() for found in re.finditer("/", path) if len(self.base) < found.end() < len(path))
        return any(self.says_by_itself(path[:end]) for end in slashes) or self.says_by_itself(path)

    def says_by_itself(self, path: str) -> bool | None:
        """Return what is said of a path whose folders are let in; that of a folder ends with `/`."""
        if not path.startswith(self.base):
            return None
        path = path[len(self.base) :]
        # Nearly all patterns speak of nearly no path, and to search is quick.
        matching = (one for one in reversed(self.rules) if one[0].search(path))
        return next((leaves_out for rule, leaves_out in matching if _speaks_of(rule, path)), None)


def patterns(folder: Path, lines: Iterable[str]) -> Ignored:
    """Return patterns relative to a folder."""
    base = folder.as_posix()
    return Ignored(base if base.endswith("/") else f"{base}/", _rules(tuple(lines)))


def read_patterns(folder: Path) -> Ignored | None:
    """Return what the `.gitignore` of a folder says, None where there is none; raises `OSError`."""
    try:
        data = (folder / NAME).read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    # Git compares bytes; names of files are decoded in the same way.
    return patterns(folder, data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").splitlines())


def is_ignored(path: str, layers: Sequence[Ignored]) -> bool:
    """Tell whether a path is left out by itself; of the layers, outermost first, the innermost that speaks decides."""
    said = (layer.says_by_itself(path) for layer in reversed(layers))
    return next((is_out for is_out in said if is_out is not None), False)


def is_pattern(line: str) -> bool:
    """Tell whether git could make sense of a line."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True


@lru_cache(maxsize=64)
def _rules(lines: tuple[str, ...]) -> tuple[tuple[re.Pattern[str], bool], ...]:
    # To git `/` is nothing; to pathspec `!/` is everything.
    return tuple(rule for line in lines if line.strip("!/ ") and is_pattern(line) for rule in _compiled(line))


def _compiled(line: str) -> Iterator[tuple[re.Pattern[str], bool]]:
    from pathspec import GitIgnoreSpec, RegexPattern

    # All folders below one; the pattern of pathspec for it takes that one itself, and so does not tell them apart.
    if line.endswith("/**/"):
        line = line.removesuffix("**/") + "*/"
    for pattern in GitIgnoreSpec.from_lines([line]).patterns:
        if isinstance(pattern, RegexPattern) and pattern.regex is not None and pattern.include is not None:
            yield pattern.regex, pattern.include


def _speaks_of(rule: re.Pattern[str], path: str) -> bool:
    """Tell whether a pattern means a path itself; pathspec's also match what is below a folder they mean."""
    is_folder = path.endswith("/")
    for found in rule.finditer(path):
        slash = found.end(_FOLDER) if _FOLDER in rule.groupindex else -1
        # Without that slash, one that reaches the end of a folder's path (`data/**`) means what is inside.
        if slash == len(path) or (slash == -1 and not (is_folder and found.end() == len(path))):
            return True
    return False
