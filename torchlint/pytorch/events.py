"""The events of PyTorch, which record the time only with `enable_timing`."""

from __future__ import annotations

EVENTS = {"torch.cuda.Event": 0, "torch.Event": None}
"""By full name, the position of `enable_timing`; None if it is a keyword only. As of torch 2.13."""
