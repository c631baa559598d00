"""How a file in an editor is linted, by the configuration around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from torchlint.engine import Job
from torchlint.files.discovery import Target
from torchlint.report import FileReport


@dataclass(frozen=True, slots=True)
class Planned:
    """A file and its job, by the configuration around it; `counted` filters a report.

    `groups` tells whether findings of one cause are shown as one, `site` where the manual is.
    """

    job: Job
    target: Target
    counted: Callable[[FileReport], FileReport]
    groups: bool = True
    site: str = ""


Planner: TypeAlias = Callable[[Path], "Planned | None"]
"""Returns how a file is linted, or None for one that is excluded; raises `TorchlintError` for a mistake in that."""
