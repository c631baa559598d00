"""Apex: optimizers, and what PyTorch has since."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import CONVERT_NORMS, DISTRIBUTED

INITIALIZE = "apex.amp.initialize"
"""What returns the models and optimizers passed to it: https://nvidia.github.io/apex/amp.html#apex.amp.initialize"""

COMPANION = Companion(
    "apex",
    "apex 25.09",
    classes={
        Role.OPTIMIZER: "FusedAdagrad FusedAdam FusedLAMB FusedMixedPrecisionLamb FusedNovoGrad FusedSGD",
    },
    aliases={
        "apex.parallel.DistributedDataParallel": DISTRIBUTED,
        "apex.parallel.convert_syncbn_model": CONVERT_NORMS,
    },
)
OF_DISTRIBUTED = frozenset("delay_allreduce disable_allreduce enable_allreduce needs_refresh".split())
"""What its wrapper has and PyTorch's does not: `DistributedDataParallel` of apex/parallel/distributed.py."""
