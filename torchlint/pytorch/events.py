"""How time and memory are measured; the events of PyTorch record the time only with `enable_timing`."""

from __future__ import annotations

EVENTS = {"torch.cuda.Event": 0, "torch.Event": None}
"""By full name, the position of `enable_timing`; None if it is a keyword only. As of torch 2.13."""
MEASURING = frozenset({
    "record", "synchronize", "elapsed_time", "memory_allocated", "max_memory_allocated", "reset_peak_memory_stats",
})  # fmt: skip
"""By what the time and the memory of a GPU are measured: methods of events, and functions of `torch.cuda`."""
