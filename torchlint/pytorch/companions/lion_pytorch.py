"""lion-pytorch: an optimizer."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "lion_pytorch",
    "lion-pytorch 0.2.5",
    classes={
        Role.OPTIMIZER: "Lion",
    },
)
