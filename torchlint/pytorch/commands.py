"""Functions that are called for their effect, and without arguments; as of torch 2.13."""

from __future__ import annotations

COMMANDS = frozenset({
    "torch.cuda.synchronize", "torch.cuda.empty_cache", "torch.cuda.reset_peak_memory_stats",
    "torch.distributed.barrier", "torch.distributed.destroy_process_group",
})  # fmt: skip
