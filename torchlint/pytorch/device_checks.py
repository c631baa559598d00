"""Functions of PyTorch that take several tensors and do not require one device, as of torch 2.13."""

from __future__ import annotations

UNCHECKED = frozenset({
    # Lengths, sizes, indices or weights are on the host beside tensors on the device, or it copies between the two.
    "torch.tensor_split", "torch.nn.functional.ctc_loss", "torch.nn.CTCLoss", "torch.save", "torch.index_put",
    "torch.nn.functional.one_hot", "torch.nn.functional.pad", "torch.is_tensor",
    # Only shapes and types are read.
    "torch.broadcast_tensors", "torch.result_type", "torch.atleast_1d", "torch.atleast_2d", "torch.atleast_3d",
})  # fmt: skip
"""Functions and modules whose tensor arguments may be on several devices."""
