"""A report, and what it depends on in its project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchlint.report import FileReport

if TYPE_CHECKING:
    from torchlint.project.dependencies import IndexLookup
    from torchlint.project.facts import Fact, FactKey


READING = "reading"


@dataclass(frozen=True, slots=True)
class TrackedReport:
    """A report, with its dependencies; nothing is known of them if `files` is None.

    `files` is how many Python files the project has; `sought` are the text searches since the last report, `learned`
    the facts about the project.
    """

    report: FileReport
    rests_on: int = 0
    files: int | None = None
    sought: tuple[IndexLookup, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    """How long each rule took, by name; under `READING`, to read and parse the file."""
    facts: tuple[FactKey, ...] = ()
    """The facts about the project that it depends on as well."""
    learned: tuple[Fact, ...] = ()

    @property
    def is_of_more_than_the_project(self) -> bool:
        """Tell whether the report depends on files that are not the project's."""
        from torchlint.project.dependencies import OUTSIDE

        return self.files is not None and bool(self.rests_on >> self.files & OUTSIDE)
