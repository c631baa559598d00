"""What full names of PyTorch stand for."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def named(name: str) -> Any:
    """Return what a full name stands for: a module is imported."""
    first, *parts = name.rstrip(".").split(".")
    found, path = import_module(first), first
    for part in parts:
        path = f"{path}.{part}"
        found = getattr(found, part) if hasattr(found, part) else import_module(path)
    return found
