"""What is passed over below every folder: not the project's own code, or not code at all."""

from __future__ import annotations

from collections.abc import Collection

EXCLUDED = (
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d",
    ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".torchlint_cache", ".tox", ".venv", ".vscode",
    "__pycache__", "__pypackages__", "_build", "buck-out", "node_modules", "site-packages", "venv",
)  # fmt: skip
"""The default of `exclude`: folders that every tool passes over, by any of their names."""
_EXCLUDED = frozenset(EXCLUDED)
# Usual folders of output; but a package may have such a name, too.
_MADE = frozenset({"build", "checkpoints", "dist", "lightning_logs", "outputs", "runs", "wandb"})
# In the folder of a virtual environment, whatever its name; a folder called `env` may as well be for games.
_OF_ENVIRONMENTS = frozenset({"pyvenv.cfg", "conda-meta"})


def is_skipped(folder: str) -> bool:
    """Tell whether a folder of this name is passed over by default."""
    return folder in _EXCLUDED


def may_be_made(folder: str) -> bool:
    """Tell whether a folder of this name is no code of the project if git ignores it."""
    return folder in _MADE


def is_environment(names: Collection[str]) -> bool:
    """Tell whether a folder with these names in it is a virtual environment."""
    return not _OF_ENVIRONMENTS.isdisjoint(names)
