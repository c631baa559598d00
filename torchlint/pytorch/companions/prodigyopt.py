"""Prodigy: an optimizer."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "prodigyopt",
    "prodigyopt 1.1.2",
    classes={
        Role.OPTIMIZER: "Prodigy",
    },
)
