"""GaLore: optimizers."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "galore_torch",
    "galore-torch 1.0",
    classes={
        Role.OPTIMIZER: "GaLoreAdafactor GaLoreAdamW GaLoreAdamW8bit",
    },
)
