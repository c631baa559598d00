"""A linter of files that are edited between requests: what depends on no edit stays."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.engine.job import location
from torchlint.engine.linter import Linter

if TYPE_CHECKING:
    from torchlint.model.edited_project import EditedProject


class EditedLinter(Linter):
    """Lints for one job, and takes other bytes for its files."""

    def edit(self, path: Path, data: bytes) -> int | None:
        """Take other bytes for a file; return what reports must not depend on any more, None if that is everything."""
        place = Path(location(path))
        self._edited[place] = data
        if "_project" in vars(self):
            return self._project.edit(place, data)
        return self._library.edit(place, data)

    def tidy(self) -> None:
        """Let go of what is about files as they were before an edit: it takes a second in a large project."""
        if "_project" in vars(self):
            self._project.tidy()

    def stop(self) -> None:
        """Stop what is linted now."""
        self._library.steps.stop()

    def resume(self) -> None:
        """Let linting begin again."""
        self._library.steps.resume()

    @cached_property
    def _project(self) -> EditedProject:
        from torchlint.model.edited_project import EditedProject

        job = self._job
        requirements = job.companions, job.nested
        return EditedProject(job.root, job.target_torch, self._names, self._edited, self._library, *requirements)
