"""What copies a module with all that it holds: a tensor with a graph cannot be. Checked on torch 2.13."""

from __future__ import annotations

DEEP_COPIES = {"copy.deepcopy": "x", "torch.optim.swa_utils.AveragedModel": "model"}
"""What calls `deepcopy` for its first argument, by the name of that."""
OWN_COPIES = ("__deepcopy__", "__getstate__", "__reduce__", "__reduce_ex__")
"""Methods by which a class determines itself what is copied."""
