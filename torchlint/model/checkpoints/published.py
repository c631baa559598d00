"""Files of weights that torchvision publishes, whose tensors are on the host: any machine can load them.

Their names have the architecture and the start of the hash of their contents:
https://docs.pytorch.org/docs/stable/hub.html#torch.hub.load_state_dict_from_url
"""

from __future__ import annotations

import re
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING

from torchlint.model.checkpoints.checkpoint_names import file_name
from torchlint.model.values.value_sets import Literal, Possibility

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

# The URLs of torchvision.models 0.2 to 0.24: `resnet152-b121ed2d.pth`, `alexnet-owt-4df8aa71.pth`.
_PUBLISHED = re.compile(
    r"(alexnet|convnext|deeplabv3|densenet|efficientnet|fasterrcnn|fcn|fcos|googlenet|inception|keypointrcnn|lraspp"
    r"|maskrcnn|maxvit|mnasnet|mobilenet|regnet|resnet|resnext|retinanet|shufflenet|squeezenet|ssd300|ssdlite|swin|vgg"
    r"|vit|wide_resnet)[a-z0-9_.]*(-owt)?-[0-9a-f]{8}\.pth"
)


def is_published(ev: Evaluator, path: Place) -> bool:
    """Tell whether a load surely reads such a file, by its name."""
    names = [file_name(ev, path) or _name_of(ev, one) for one in ev.evaluate(path)]
    return bool(names) and all(name is not None and _PUBLISHED.fullmatch(name) for name in names)


def _name_of(ev: Evaluator, one: Possibility) -> str | None:
    """Return the name of a file whose path is known, or is composed somewhere else."""
    if isinstance(one.value, Literal):
        return PureWindowsPath(str(one.value.value)).name
    return file_name(ev, one.origin) if one.origin is not None else None
