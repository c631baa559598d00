"""What is called for its effect, and often without arguments. Checked on torch 2.13."""

from __future__ import annotations

COMMANDS = frozenset({
    "torch.cuda.synchronize", "torch.cuda.empty_cache", "torch.cuda.reset_peak_memory_stats",
    "torch.distributed.barrier", "torch.distributed.destroy_process_group",
})  # fmt: skip
"""Functions, by their full names."""
COMMAND_METHODS = {
    "torch.Tensor": frozenset({"backward", "detach_", "requires_grad_"}),
    "torch.nn.Module": frozenset({"cpu", "cuda", "eval", "requires_grad_", "train", "zero_grad"}),
    "torch.nn.Linear": frozenset({"reset_parameters"}),
    "torch.nn.LSTM": frozenset({"flatten_parameters"}),
    "torch.optim.Optimizer": frozenset({"step", "zero_grad"}),
    "torch.amp.GradScaler": frozenset({"step", "unscale_"}),
    "torch.utils.data.DistributedSampler": frozenset({"set_epoch"}),
    "torch.cuda.Stream": frozenset({"synchronize", "wait_stream"}),
}
"""Methods, by a class that has them; others have them as well."""
EVERY_COMMAND = frozenset(name.rpartition(".")[2] for name in COMMANDS).union(*COMMAND_METHODS.values())
"""The last names of all of them."""
