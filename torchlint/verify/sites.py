"""Where in the user's own program something happened, in whatever library."""

from __future__ import annotations

import os
import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

# Folders of packages, of any environment: Debian's are in the second one.
_PACKAGES = ("site-packages", "dist-packages")
# Frames of a call that say nothing about it.
_PLUMBING = ("overrides.py", "_contextlib.py", "_device.py", "_python_dispatch.py", "eval_frame.py", "_compile.py")
_OURSELVES = str(Path(__file__).resolve().parents[1]) + os.sep


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """The innermost line of the user's program on a stack.

    Columns are as CPython counts them, in bytes from 0, and both 0 if it has none (before 3.11). `via` names the
    library call in between, and is empty if the user's line did it itself.
    """

    path: str
    line: int
    end_line: int
    column: int
    end_column: int
    function: str
    via: str


NOWHERE = Site("?", 0, 0, 0, 0, "?", "")


class Sites:
    """Distinguishes the user's files from those of Python, its packages and torchlint."""

    def __init__(self, *own: Path) -> None:
        self._own = [str(folder.resolve()) + os.sep for folder in own]
        self._libraries = [*{os.path.realpath(path) + os.sep for path in _library_folders()}, _OURSELVES]
        self._is_own_file: dict[str, bool] = {}

    def of(self, frame: FrameType | None) -> Site:
        """Return the innermost place in the user's program, walking outwards from a frame."""
        via = ""
        while frame is not None:
            path = frame.f_code.co_filename
            if self.is_own(path):
                return Site(path, *_position(frame.f_code, frame.f_lasti, frame.f_lineno), frame.f_code.co_name, via)
            if not via and not path.endswith(_PLUMBING) and not path.startswith((_OURSELVES, "<")):
                via = f"{_short(path)}:{frame.f_lineno} in {frame.f_code.co_name}"
            frame = frame.f_back
        return NOWHERE

    def is_own(self, path: str) -> bool:
        """Tell whether a file is part of the user's program."""
        known = self._is_own_file.get(path)
        if known is None:
            known = self._is_own_file[path] = self._decide(path)
        return known

    def _decide(self, path: str) -> bool:
        if path.startswith("<"):
            return False
        real = os.path.realpath(path)
        # The innermost folder decides: a project may contain a virtual environment, and site-packages the fixtures.
        own = max((len(folder) for folder in self._own if real.startswith(folder)), default=0)
        library = max((len(folder) for folder in self._libraries if real.startswith(folder)), default=0)
        library = max(library, *(real.rfind(f"{os.sep}{name}{os.sep}") + 1 for name in _PACKAGES))
        return own > library or not library


@lru_cache(maxsize=4096)
def _position(code: CodeType, instruction: int, line: int) -> tuple[int, int, int, int]:
    """Return line, end line, column and end column of the call that a frame is in."""
    if not hasattr(code, "co_positions"):
        return line, line, 0, 0
    place = next(islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    start, end, column, end_column = place
    if start is None or end is None:
        return line, line, 0, 0
    return start, end, column or 0, end_column or 0


def _library_folders() -> set[str]:
    paths = sysconfig.get_paths()
    return {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}


def _short(path: str) -> str:
    for folder in ("/site-packages/", "/lib/python"):
        before, found, after = path.rpartition(folder)
        if found and before:
            return after
    return path
