"""What is passed over below every folder: not the project's own code, or not code at all."""

from __future__ import annotations

from collections.abc import Collection

_SKIPPED = frozenset({
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d",
    ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".torchlint_cache", ".tox", ".venv", ".vscode",
    "__pycache__", "__pypackages__", "_build", "buck-out", "build", "checkpoints", "dist", "lightning_logs",
    "node_modules", "outputs", "runs", "site-packages", "venv", "wandb",
})  # fmt: skip
# In the folder of a virtual environment, whatever its name; a folder called `env` may as well be for games.
_OF_ENVIRONMENTS = frozenset({"pyvenv.cfg", "conda-meta"})


def is_skipped(folder: str) -> bool:
    """Tell whether a folder of this name is passed over."""
    return folder in _SKIPPED


def is_environment(names: Collection[str]) -> bool:
    """Tell whether a folder that holds these names is a virtual environment."""
    return not _OF_ENVIRONMENTS.isdisjoint(names)
