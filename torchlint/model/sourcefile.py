"""A parsed file and the questions that a rule may ask of it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.source import Source

if TYPE_CHECKING:
    from torchlint.model.project import Project


@dataclass(frozen=True, eq=False)
class SourceFile:
    """A parsed file of a project. `tree` is the engine's, for statements' extents; rules ask questions instead."""

    project: Project
    source: Source
    tree: ast.Module

    @property
    def path(self) -> str:
        """Return the path as torchlint prints it: POSIX, relative to where it ran."""
        return self.source.path
