"""Lint files: in several processes if that pays, and with the same reports in any number."""

from torchlint.engine.job import Job, Target, location
from torchlint.engine.lint import lint, lint_edited, lint_noting, lint_text
from torchlint.engine.notices import NOTICES
from torchlint.engine.program import within_program
from torchlint.engine.roots import forget_roots, project_root, root_of_folder
from torchlint.engine.tracked_report import READING, TrackedReport
from torchlint.engine.warm import WarmLinter

__all__ = [
    "NOTICES",
    "READING",
    "Job",
    "Target",
    "TrackedReport",
    "WarmLinter",
    "forget_roots",
    "lint",
    "lint_edited",
    "lint_noting",
    "lint_text",
    "location",
    "project_root",
    "root_of_folder",
    "within_program",
]
