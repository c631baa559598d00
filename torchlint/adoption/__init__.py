"""Introduce torchlint in a repository with many findings, and check new code from the first day."""

from torchlint.adoption.baseline import Baseline, Entries
from torchlint.adoption.baseline_file import read_baseline, write_baseline
from torchlint.adoption.changes import Changes, changes_since
from torchlint.adoption.comments import CannotIgnoreError, Ignored, with_ignores

__all__ = [
    "Baseline",
    "CannotIgnoreError",
    "Changes",
    "Entries",
    "Ignored",
    "changes_since",
    "read_baseline",
    "with_ignores",
    "write_baseline",
]
