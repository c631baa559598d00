"""Lint files: several at once where that pays, and with the same reports however many."""

from torchlint.engine.job import Job, Target
from torchlint.engine.lint import lint, lint_edited, lint_text
from torchlint.engine.notices import NOTICES
from torchlint.engine.roots import forget_roots, project_root
from torchlint.engine.warm import WarmLinter

__all__ = [
    "NOTICES",
    "Job",
    "Target",
    "WarmLinter",
    "forget_roots",
    "lint",
    "lint_edited",
    "lint_text",
    "project_root",
]
