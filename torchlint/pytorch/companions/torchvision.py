"""torchvision: models, and names that it had once."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, Removal, renamed

# https://github.com/pytorch/vision/pull/5386
_SCALE = (0, 12)
# "The dictionary below is internal implementation detail and will be removed in v0.15", torchvision 0.14
_URLS = Removal((0, 15), "the `weights=` of the model, or their `.url`")
# torchvision 0.15 warns that 0.17 removes it.
_FUNCTIONAL = Removal(
    (0, 17),
    "`torchvision.transforms.functional`",
    parts={"rgb_to_grayscale": "torchvision.transforms.functional.rgb_to_grayscale"},
)
_HUB = "torch.hub.load_state_dict_from_url"

MODELS = "torchvision.models."
"""The prefix of the functions that return a model."""
TRACKING_MODELS = (
    "densenet efficientnet_ googlenet inception_v3 mnasnet mobilenet_v regnet_ resnet resnext shufflenet_v2_"
    " wide_resnet".split()
)
"""How functions of `torchvision.models` begin whose models have such layers, as `vgg11_bn` does; torchvision 0.24."""

COMPANION = Companion(
    "torchvision",
    "torchvision 0.24; releases are those of https://github.com/pytorch/vision/releases",
    module_makers=(MODELS,),
    removed={
        "torchvision.models.utils": Removal((0, 11), f"`{_HUB}`", (1, 1), parts={"load_state_dict_from_url": _HUB}),
        "torchvision.transforms.Scale": renamed(_SCALE, "torchvision.transforms.Resize"),
        "torchvision.transforms.RandomSizedCrop": renamed(_SCALE, "torchvision.transforms.RandomResizedCrop"),
        "torchvision.transforms.transforms.Scale": renamed(_SCALE, "torchvision.transforms.transforms.Resize"),
        "torchvision.transforms.transforms.RandomSizedCrop": renamed(
            _SCALE, "torchvision.transforms.transforms.RandomResizedCrop"
        ),
        "torchvision.transforms.functional_tensor": _FUNCTIONAL,
        **{
            f"torchvision.models.{family}.model_urls": _URLS
            for family in "alexnet densenet googlenet inception mnasnet resnet shufflenetv2 squeezenet vgg".split()
        },
    },
)
