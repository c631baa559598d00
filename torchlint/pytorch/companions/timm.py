"""timm: models, optimizers, a loader, and scalers that step."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

# https://github.com/huggingface/pytorch-image-models/blob/main/timm/utils/cuda.py
STEPPING_SCALERS = frozenset(
    f"timm.utils.{space}{name}" for space in ("", "cuda.") for name in ("NativeScaler", "ApexScaler")
)
"""Classes of objects that call backward, clip and step when they are called."""

COMPANION = Companion(
    "timm",
    "timm 1.0.31",
    classes={
        Role.OPTIMIZER: (
            "AdaBelief Adafactor AdafactorBigVision AdamP AdamWLegacy Adan Adopt LaProp Lamb Lars Lion MADGRAD"
            " Mars Muon NAdamLegacy NAdamW NvNovoGrad RAdamLegacy RMSpropTF SGDP SGDW"
        ),
        Role.LOADER: "MultiEpochsDataLoader",
    },
    models=r"timm\.(models\.)?create_model",
    module_makers=("timm.create_model", "timm.models.create_model"),
)
