"""Processes that train together: their backends, ranks and collectives. Checked on torch 2.13."""

from __future__ import annotations

from typing import NamedTuple

from torchlint.pytorch.companions.horovod import RANK

INIT_PROCESS_GROUP = "torch.distributed.init_process_group"
GPU_BACKENDS = frozenset({"nccl"})
"""Making a process group with one raises a RuntimeError or a ValueError without a GPU.

https://github.com/pytorch/pytorch/blob/v2.11.0/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp: "ProcessGroupNCCL is
only supported with GPUs, no GPUs found!"
"""
SENDING_WHILE_KEPT = frozenset({"gloo"})
"""With one, what `isend` has not sent yet when its work is freed is never sent; NCCL keeps the work itself."""
RANKS = frozenset({"torch.distributed.get_rank", "torch.distributed.get_node_local_rank", RANK})
"""Functions that return the rank of the process."""
ALONE: dict[str, bool | int] = {
    "torch.distributed.is_initialized": False,
    "torch.distributed.is_torchelastic_launched": False,
    "torch.distributed.get_world_size": 1,
    "torch.distributed.get_rank": 0,
}
"""What functions return in a process that was not launched as one of many; the last two raise without a group."""
SPACES = ("torch.distributed.", "torch.distributed.distributed_c10d.")
"""The prefixes of the names of collectives."""
COLLECTIVES = frozenset(
    "barrier monitored_barrier all_reduce all_gather all_gather_into_tensor all_gather_object broadcast"
    " broadcast_object_list reduce gather gather_object scatter scatter_object_list reduce_scatter"
    " reduce_scatter_tensor all_to_all all_to_all_single all_reduce_coalesced new_group".split()
)
"""Functions that wait for all processes of a group, by their last names."""
SUMMING = ("all_reduce", "all_reduce_coalesced", "reduce")
"""Those that add up the tensors of all processes, in place."""


class Communication(NamedTuple):
    """A function that sends tensors between the processes of a group."""

    tensors: tuple[str, ...]
    """Its first parameters, that are tensors or lists of them."""
    group_at: int
    """The position of `group`."""
    written_at: int | None = 0
    """The position of the tensor, or of the list, that it writes; None if it only reads."""


COMMUNICATIONS = {
    "all_reduce": Communication(("tensor",), 2),
    "broadcast": Communication(("tensor",), 2),
    "reduce": Communication(("tensor",), 3),
    "all_gather": Communication(("tensor_list", "tensor"), 2),
    "all_gather_into_tensor": Communication(("output_tensor", "input_tensor"), 2),
    "gather": Communication(("tensor", "gather_list"), 3, 1),
    "scatter": Communication(("tensor", "scatter_list"), 3),
    "reduce_scatter": Communication(("output", "input_list"), 3),
    "reduce_scatter_tensor": Communication(("output", "input"), 3),
    "all_to_all": Communication(("output_tensor_list", "input_tensor_list"), 2),
    "all_to_all_single": Communication(("output", "input"), 4),
    "send": Communication(("tensor",), 2, None),
    "recv": Communication(("tensor",), 2),
    "isend": Communication(("tensor",), 2, None),
    "irecv": Communication(("tensor",), 2),
}
"""By their last names. A backend that communicates between GPUs takes no tensor on the CPU."""
ASYNCHRONOUS = frozenset({"isend", "irecv"})
"""Those that return at once, a work to wait for; the others do so with `async_op=True`."""
ASYNC_OP = "async_op"
SYNCHRONIZING = frozenset({"barrier", "monitored_barrier", "synchronize"})
"""Last names of functions that wait for what all processes do, or for the GPU."""
