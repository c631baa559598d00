"""TorchData: its loader."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "torchdata",
    "torchdata 0.11.0",
    classes={
        Role.LOADER: "StatefulDataLoader",
    },
)
