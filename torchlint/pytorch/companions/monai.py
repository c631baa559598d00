"""MONAI: an optimizer, and a loader of its own."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "monai",
    "monai 1.6.1",
    classes={
        Role.OPTIMIZER: "Novograd",
        Role.LOADER: "DataLoader",
    },
)
