"""The result of fixing a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from torchlint.finding import Finding


@dataclass(frozen=True, slots=True)
class Refusal:
    """A fix that was not made, and why: `leaves its finding`."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file before and after, the findings that are gone, and the fixes that did not do what they should."""

    path: Path
    shown: str
    before: bytes
    after: bytes
    fixed: tuple[Finding, ...] = ()
    refused: tuple[Refusal, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Tell whether there is anything to write."""
        return self.before != self.after
