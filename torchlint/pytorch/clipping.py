"""Functions that limit gradients. Checked on torch 2.13."""

from __future__ import annotations

NORMS = frozenset(f"torch.nn.utils.{name}" for name in ("clip_grad_norm_", "clip_grad_norm", "get_total_norm"))
"""Functions that return the norm of gradients, a tensor without a graph where the first gradient is (2.13)."""
CLIPPING = frozenset(
    f"torch.nn.utils.{name}"
    for name in ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm", "clip_grads_with_norm_")
)
"""Functions that change the gradients of parameters to limited ones."""
