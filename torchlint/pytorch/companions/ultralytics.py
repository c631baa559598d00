"""Ultralytics: an optimizer, and a loader."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "ultralytics",
    "ultralytics 8.4.190",
    classes={
        Role.OPTIMIZER: "MuSGD",
        Role.LOADER: "InfiniteDataLoader",
    },
)
