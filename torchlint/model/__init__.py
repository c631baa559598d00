"""What the code means: the questions that a rule may ask of a file."""

from torchlint.model.project import Project
from torchlint.model.sourcefile import SourceFile

__all__ = ["Project", "SourceFile"]
