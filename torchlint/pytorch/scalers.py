"""The methods of gradient scalers, `torch.amp.GradScaler`. Checked on torch 2.13."""

from __future__ import annotations

ITERATION = frozenset({"scale", "unscale_", "step", "update"})
"""Those that an iteration consists of."""
ASIDE = frozenset({"scale", "get_scale", "is_enabled", "state_dict"})
"""Those that do not change the stage of an optimizer: whether its gradients are unscaled, and its step made."""
LEAVING_SCALED = frozenset({"scale", "update", "state_dict", "load_state_dict"})
"""Those that leave gradients as they are."""
READING = ("get_scale", "state_dict")
"""Those that read the scale, a tensor on the device."""
