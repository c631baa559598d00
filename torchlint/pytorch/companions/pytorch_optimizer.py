"""pytorch_optimizer: optimizers and schedulers."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "pytorch_optimizer",
    "pytorch_optimizer 4.1.0",
    classes={
        Role.OPTIMIZER: (
            "ADOPT ASGD AdEMAMix AdaBelief AdaBound AdaDelta AdaFactor AdaMax AdaMod AdaNorm AdaPNM AdaSmooth"
            " Adai Adalite AdamG AdamMini AdamP AdamS AdamWSN Adan AggMo AvaGrad CAME DAdaptAdaGrad DAdaptAdam"
            " DAdaptAdan DAdaptLion DAdaptSGD DiffGrad FTRL Fromage Grams Gravity Kate LARS LaProp Lamb Lion"
            " MADGRAD MARS Muon Nero NovoGrad PAdam PID PNM Prodigy QHAdam QHM RAdam Ranger Ranger21 SGDP SGDW"
            " SM3 SOAP ScheduleFreeAdamW ScheduleFreeRAdam ScheduleFreeSGD SignSGD StableAdamW Tiger Yogi"
        ),
        Role.SCHEDULER: "CosineAnnealingWarmupRestarts REXScheduler",
    },
)
