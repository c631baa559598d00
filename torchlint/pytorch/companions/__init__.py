"""The companions of PyTorch, a module for each library: its `COMPANION`, and what only some rules ask of it.

A new library is a new module here, and nothing else.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from torchlint.pytorch.kinds import Companion


def _companion(module: str) -> Companion:
    found = import_module(f"{__name__}.{module}").COMPANION
    assert isinstance(found, Companion)
    return found


COMPANIONS = tuple(_companion(found.name) for found in iter_modules(__path__))
TAKEOVERS = tuple(row for companion in COMPANIONS for row in companion.takeovers)
"""Who takes a module over, and has a `backward()` of its own for the losses of it."""
