"""Which classes are modules, and which functions return one."""

from __future__ import annotations

import re

from torchlint.pytorch.companions import COMPANIONS
from torchlint.pytorch.symbols import MODULE, NN

OTHER_FRAMEWORKS = frozenset("megengine mindspore paddle flax haiku jittor oneflow mxnet keras tensorflow".split())
"""Packages whose classes are called `Module` too."""


MODULE_BASES = frozenset({MODULE}).union(*(companion.modules for companion in COMPANIONS))
"""The full names of classes from which modules inherit."""
MODULE_SPACES = (NN, *(space for companion in COMPANIONS for space in companion.module_spaces))
"""Prefixes of the names of modules."""
MODULE_FACTORIES = (
    "torch.hub.load",
    "torch.jit.load",
    "torch.jit.script",
    "torch.jit.trace",
    *(maker for companion in COMPANIONS for maker in companion.module_makers),
)
"""Prefixes of the names of functions that return a module."""
MODELS = re.compile("|".join(companion.models for companion in COMPANIONS if companion.models))
"""Those whose modules surely have weights, on the host."""
PLACING = frozenset("device device_map load_in_4bit load_in_8bit quantization_config".split())
"""Arguments by which they are, or may be, on another device at once."""
