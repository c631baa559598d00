"""Keep reports from run to run, and lint again only what has changed or depends on a change."""

from torchlint.cache.folder import FOLDER, Folder
from torchlint.cache.lint import lint_cached

__all__ = ["FOLDER", "Folder", "lint_cached"]
