"""Recognize notebooks by their names."""

from __future__ import annotations

SUFFIX = ".ipynb"


def is_notebook(path: str) -> bool:
    """Tell whether a file of this name is a Jupyter notebook."""
    return path.endswith(SUFFIX)
