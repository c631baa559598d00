"""The collective whose results have no graph: no gradient comes through it. Read and run on torch 2.13.0.

`all_gather_into_tensor` warns as it goes back; gradients come through that of `torch.distributed.nn.functional`.
https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.all_gather
"""

from __future__ import annotations

GATHER = "torch.distributed.all_gather"
"""The function: it writes what all ranks have into tensors that it is given."""

RESULTS, GIVEN = "tensor_list", "tensor"
"""Its first parameters: for what it writes to, and for what this rank has."""
