"""The events of PyTorch, which record the time only if they are asked to."""

from __future__ import annotations

EVENTS = {"torch.cuda.Event": 0, "torch.Event": None}
"""By full name, the position of `enable_timing`; None where it goes by its name alone. As of torch 2.13."""
