"""The methods of gradient scalers, `torch.amp.GradScaler`. Checked on torch 2.13."""

from __future__ import annotations

from typing import Literal

ITERATION = frozenset({"scale", "unscale_", "step", "update"})
"""Those that an iteration consists of."""
ASIDE = frozenset({"scale", "get_scale", "is_enabled", "state_dict"})
"""Those that do not change the stage of an optimizer: whether its gradients are unscaled, and its step made."""
LEAVING_SCALED = frozenset({"scale", "update", "state_dict", "load_state_dict"})
"""Those that leave gradients as they are."""
READING = ("get_scale", "state_dict")
"""Those that read the scale, a tensor on the device."""
REFUSED: dict[tuple[str, str], Literal["unscaled twice", "unscaled late", "stepped twice"]] = {
    ("unscale_", "unscale_"): "unscaled twice",
    ("step", "unscale_"): "unscaled late",
    ("step", "step"): "stepped twice",
}
"""Two calls for an optimizer with no `update()` between them, of which the second raises RuntimeError."""
PLAIN = frozenset(f"{space}.GradScaler" for space in ("torch.amp", "torch.cuda.amp", "torch.cpu.amp"))
"""Scalers that unscale no gradients of a dtype below; that for FSDP does."""
NOT_UNSCALED = frozenset({"float16"})
"""Dtypes of parameters whose gradients `unscale_` and `step` refuse with ValueError."""
UNSCALING = frozenset({"step", "unscale_"})
"""Those that do so."""
CONVERTING = frozenset({"half", "to", "type"})
"""Methods of modules that may convert parameters to one of these, in place."""
