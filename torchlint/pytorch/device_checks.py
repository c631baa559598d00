"""What takes several tensors, and whether it requires one device of them, as of torch 2.13."""

from __future__ import annotations

UNCHECKED = frozenset({
    # Lengths, sizes, indices or weights are on the host beside tensors on the device, or it copies between the two.
    "torch.tensor_split", "torch.nn.functional.ctc_loss", "torch.nn.CTCLoss", "torch.save", "torch.index_put",
    "torch.nn.functional.one_hot", "torch.nn.functional.pad", "torch.is_tensor",
    # Only shapes and types are read.
    "torch.broadcast_tensors", "torch.result_type", "torch.atleast_1d", "torch.atleast_2d", "torch.atleast_3d",
})  # fmt: skip
"""Functions and modules whose tensor arguments may be on several devices."""
MIXING_METHODS = frozenset(
    "add sub mul div matmul mm bmm mv dot where masked_fill masked_select gather scatter scatter_add index_select"
    " index_add eq ne gt lt ge le maximum minimum fmod pow atan2 lerp addmm baddbmm logical_and logical_or"
    " bitwise_and bitwise_or take_along_dim".split()
)
"""Methods of tensors that take another one, which must be on the same device."""
