"""Methods that move a tensor or a module, and what else returns the module itself. Checked on torch 2.13."""

from __future__ import annotations

from torchlint.pytorch.dtypes import CASTS

TO_GPU = ("to", "cuda")
"""What may move to a GPU."""
MOVES = frozenset({*TO_GPU, "cpu"})
MODULE_CASTS = frozenset({"float", "double", "half", "bfloat16", "type"})
"""Methods of a module that convert it, where it is."""
MODES = frozenset({"eval", "train"})
"""Methods that set the mode of a module."""
SAME_MODULE = MODULE_CASTS | MODES | {"requires_grad_", "share_memory", "apply"}
"""Methods of a module that do not move it, and return it."""
RETURNING_MODULE = MOVES | SAME_MODULE | {"xpu", "to_empty"}
"""All methods of a module that return it."""
MOVES_OF_TENSORS = MOVES | {"type", "type_as"}
"""What may return a tensor on another device: `type` by the name of a type, `type_as` by another tensor."""
CUDA_ARGUMENTS = frozenset({"device", "non_blocking", "memory_format"})
"""The parameters of a tensor's `cuda`, which `to` has by the same names."""
TO_HOST = ("cpu", "to", "type", "type_as")
"""Methods that may copy a tensor to the host; so may `copy_`, if that is there."""
MOVING = MOVES | {"pin_memory"}
"""Methods that copy a tensor to other memory."""
COPYING = MOVING | frozenset(CASTS) | {"detach"}
"""Methods that return a tensor of its own, and leave theirs: https://docs.pytorch.org/docs/stable/tensors.html."""
