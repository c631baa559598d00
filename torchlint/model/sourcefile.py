"""A file, and the questions that a rule may ask of it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.about_checkpoints import AboutCheckpoints
from torchlint.model.about_data import AboutData
from torchlint.model.about_devices import AboutDevices
from torchlint.model.about_gradients import AboutGradients
from torchlint.model.about_history import AboutHistory
from torchlint.model.about_modules import AboutModules
from torchlint.model.about_training import AboutTraining
from torchlint.model.about_wrappers import AboutWrappers
from torchlint.model.attributes.kept_arguments import KeptArguments
from torchlint.source import Source

if TYPE_CHECKING:
    from torchlint.model.project import Project


class SourceFile(
    AboutDevices,
    AboutModules,
    AboutTraining,
    AboutGradients,
    AboutData,
    AboutWrappers,
    AboutCheckpoints,
    AboutHistory,
):
    """A file of a project, as rules see it: beside what is written in it, what that means."""

    def __init__(self, project: Project, location: Path, source: Source, tree: ast.Module) -> None:
        super().__init__(project, location, source, tree)
        if "locals()" in source.text:
            self.index.unwritten = KeptArguments(self).stores
