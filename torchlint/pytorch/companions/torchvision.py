"""torchvision: models, and names that it had once."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, Removal, Replacement, renamed

# https://github.com/pytorch/vision/pull/5386
_SCALE = (0, 12)
# "The dictionary below is internal implementation detail and will be removed in v0.15", torchvision 0.14
_URLS = Removal((0, 15), "the `weights=` of the model, or their `.url`")
_FUNCTIONAL = Removal(
    (0, 17),
    "`torchvision.transforms.functional`",
    parts={"rgb_to_grayscale": "torchvision.transforms.functional.rgb_to_grayscale"},
)
_HUB = "torch.hub.load_state_dict_from_url"
_DECODER = Removal((0, 26), "the package `torchcodec`")
_OPS = (0, 12)
# `ToImage` and `to_image` came with torchvision 0.16, which is for torch 2.1.
_IMAGE_SINCE = (2, 1)

MODELS = "torchvision.models."
"""The prefix of the functions that return a model."""
TRACKING_MODELS = (
    "densenet efficientnet_ googlenet inception_v3 mnasnet mobilenet_v regnet_ resnet resnext shufflenet_v2_"
    " wide_resnet".split()
)
"""How functions of `torchvision.models` begin whose models have such layers, as `vgg11_bn` does; torchvision 0.24."""

COMPOSED = frozenset({"torchvision.transforms.Compose", "torchvision.transforms.v2.Compose"})
"""What calls its transforms one after the other."""

COMPANION = Companion(
    "torchvision",
    "torchvision 0.24, what it removed and deprecates 0.9 to 0.29; releases are those of https://github.com/pytorch/vision/releases",
    module_makers=(MODELS,),
    models=r"torchvision\.models\.((detection|segmentation|video|quantization)\.)?[a-z]\w*",
    removed={
        "torchvision.models.utils": Removal((0, 11), f"`{_HUB}`", (1, 1), parts={"load_state_dict_from_url": _HUB}),
        "torchvision.transforms.Scale": renamed(_SCALE, "torchvision.transforms.Resize"),
        "torchvision.transforms.RandomSizedCrop": renamed(_SCALE, "torchvision.transforms.RandomResizedCrop"),
        "torchvision.transforms.transforms.Scale": renamed(_SCALE, "torchvision.transforms.transforms.Resize"),
        "torchvision.transforms.transforms.RandomSizedCrop": renamed(
            _SCALE, "torchvision.transforms.transforms.RandomResizedCrop"
        ),
        "torchvision.transforms.functional_tensor": _FUNCTIONAL,
        "torchvision.transforms.functional_pil": _FUNCTIONAL,
        "torchvision.datapoints": renamed((0, 16), "torchvision.tv_tensors"),
        "torchvision.transforms.v2.ToImageTensor": renamed((0, 16), "torchvision.transforms.v2.ToImage"),
        "torchvision.transforms.v2.ConvertDtype": renamed((0, 16), "torchvision.transforms.v2.ToDtype"),
        "torchvision.datasets.Kinetics400": Removal((0, 14), "`torchvision.datasets.Kinetics`"),
        **{
            f"torchvision.ops.misc.{name}": renamed(_OPS, f"torch.nn.{name}")
            for name in "BatchNorm2d Conv2d ConvTranspose2d".split()
        },
        **{
            f"torchvision.io.{name}": _DECODER
            for name in "VideoReader read_video read_video_timestamps write_video".split()
        },
        **{
            f"torchvision.models.{family}.model_urls": _URLS
            for family in "alexnet densenet efficientnet googlenet inception mnasnet mobilenetv2 mobilenetv3 regnet"
            " resnet shufflenetv2 squeezenet vgg vision_transformer".split()
        },
    },
    deprecated={
        "torchvision.transforms.v2.ToTensor": Replacement(
            "`v2.ToImage()` and `v2.ToDtype(…, scale=True)`", _IMAGE_SINCE
        ),
        "torchvision.transforms.v2.functional.to_tensor": Replacement("`to_image` and `to_dtype`", _IMAGE_SINCE),
        "torchvision.transforms.v2.functional.get_image_size": Replacement("`get_size`", _IMAGE_SINCE),
    },
)
