"""What makes `DistributedDataParallel` wait for the gradient of every parameter. Read and run on torch 2.13.0.

The reducer of a wrapper starts the next iteration once each parameter has had its gradient in the last one, else it
raises `Expected to have finished reduction in the prior iteration`.
https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from __future__ import annotations

SEARCHING, STATIC = "find_unused_parameters", "static_graph"
TOLERANT = {SEARCHING: 8, STATIC: 11}
"""Arguments with which parameters may go without a gradient, and their positions. All are False by default."""
LEFT_OUT = "_ddp_params_and_buffers_to_ignore"
"""The attribute of a module that names parameters the reducer does not wait for."""
WITHOUT_REDUCTION = ("no_sync", "require_backward_grad_sync")
"""What leaves the reduction out: a context for the forward pass and `backward()`, and the attribute that it sets."""
