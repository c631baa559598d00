"""A file, and the questions that a rule may ask of it."""

from __future__ import annotations

from torchlint.model.about_checkpoints import AboutCheckpoints
from torchlint.model.about_devices import AboutDevices
from torchlint.model.about_training import AboutTraining
from torchlint.model.about_wrappers import AboutWrappers


class SourceFile(AboutDevices, AboutTraining, AboutWrappers, AboutCheckpoints):
    """A file of a project, as rules see it: beside what is written in it, what that means."""
