"""segmentation_models_pytorch: what makes models."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

COMPANION = Companion(
    "segmentation_models_pytorch",
    "segmentation_models_pytorch 0.6.0",
    module_makers=("segmentation_models_pytorch.",),
    models=r"segmentation_models_pytorch\.(\w+\.)*(DeepLabV3(Plus)?|FPN|Linknet|MAnet|PAN|PSPNet|Unet(PlusPlus)?)",
)
