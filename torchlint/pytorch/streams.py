"""Streams of work on a GPU, and what waits for them; as of torch 2.13."""

from __future__ import annotations

STREAM = "torch.cuda.Stream"
MADE_ON_CUDA = frozenset({STREAM, "torch.cuda.Event"})
"""Objects of CUDA: making one, or recording an event, raises without it."""
ENTERING = frozenset({"torch.cuda.stream", "torch.cuda.StreamContext"})
"""Contexts in which work goes to another stream."""
ORDERING = frozenset({"wait_event", "wait_stream", "record_event", "record_stream"})
"""Methods that make streams wait for each other, or the memory of a tensor for a stream, and never the host."""
ORDERING_STREAMS = ORDERING | {"wait", "set_stream"}
"""Those, an event's own, and the function that makes another stream the current one."""
SYNCHRONIZE = "torch.cuda.synchronize"
SYNCHRONIZING = frozenset({SYNCHRONIZE, "torch.accelerator.synchronize"})
"""Functions that wait for all work of a device; the accelerator's exists since torch 2.6."""
INITIALIZING = frozenset({"torch.cuda.is_available", "torch.cuda.init", "torch.cuda.is_bf16_supported"})
"""Functions that have the driver of CUDA read which devices the process may see."""
INDEX_ONLY = frozenset({"torch.cuda.get_rng_state", "torch.cuda.set_rng_state"})
"""Functions of `torch.cuda` that take no `torch.cuda.device` as their device: all others read its index, by
`torch.cuda._utils._get_device_index`."""
