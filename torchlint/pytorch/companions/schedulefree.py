"""Schedule-Free: optimizers."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "schedulefree",
    "schedulefree 1.4.1",
    classes={
        Role.OPTIMIZER: "AdamWScheduleFree RAdamScheduleFree SGDScheduleFree",
    },
)
