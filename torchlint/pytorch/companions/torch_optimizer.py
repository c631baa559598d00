"""torch_optimizer: optimizers."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "torch_optimizer",
    "torch_optimizer 0.3.0",
    classes={
        Role.OPTIMIZER: (
            "AccSGD AdaBelief AdaBound AdaMod Adafactor AdamP AggMo Apollo DiffGrad LARS Lamb MADGRAD NovoGrad"
            " PID QHAdam QHM RAdam SGDP SGDW SWATS Yogi"
        ),
    },
)
