"""pytorch_transformers, the former name of Transformers: optimizers and schedulers."""

from __future__ import annotations

from torchlint.pytorch.companions.transformers import OLD_SCHEDULERS
from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "pytorch_transformers",
    "pytorch_transformers 1.2.0",
    classes={
        Role.OPTIMIZER: "AdamW",
        Role.SCHEDULER: OLD_SCHEDULERS,
    },
)
