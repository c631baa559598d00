"""Quote a file that a finding points into and that was not linted in this run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from torchlint.files.regular import read_regular
from torchlint.finding import Finding
from torchlint.output.cells import cell_lines
from torchlint.output.story import Scene
from torchlint.report import FileReport
from torchlint.source import UnreadableSourceError, read_source

_LARGEST = 2 * 1024 * 1024
_KEPT = 16


class Quotations:
    """The lines of files on the disk, the last few of them kept."""

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd
        self.lines = lru_cache(maxsize=_KEPT)(self._read)

    def of(self, scene: Scene, finding: Finding, report: FileReport) -> Sequence[str]:
        """Return the lines of a scene of a finding: those of a file, or of a cell."""
        if scene.cell is not None:
            return cell_lines(report.notebooks, scene.path, scene.cell)
        return report.lines if scene.path == finding.path else self.lines(scene.path)

    def _read(self, path: str) -> tuple[str, ...]:
        """Return the lines of a file, none if it cannot be read, is no regular file, or is too large."""
        place = self._cwd / path
        try:
            source = read_source(path, read_regular(place, _LARGEST))
            return source.notebook.file_lines() if source.notebook else tuple(source.text.split("\n"))
        except (OSError, ValueError, UnreadableSourceError):
            return ()
