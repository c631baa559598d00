"""What is done with a tensor right after it is made: another shape, a filling, other numbers. Checked on torch 2.13."""

from __future__ import annotations

SHAPING = frozenset(
    "contiguous flatten moveaxis movedim permute ravel repeat reshape squeeze swapaxes swapdims t tile transpose"
    " unflatten unsqueeze view".split()
)
"""Methods whose result has all elements of a tensor, each in memory of its own."""
SHARING = frozenset({"expand", "expand_as", "broadcast_to", "narrow"})
"""Methods whose result has elements that share memory, or only a part of the tensor's."""
TURNED = frozenset({"T", "mT"})
"""Attributes that are the tensor with other strides."""
FILLING = frozenset({"fill_", "zero_"})
"""Methods that set all elements."""
POINTWISE = frozenset("abs cos exp exp2 log log10 log2 neg reciprocal rsqrt sigmoid sin sqrt square tanh".split())
"""Methods whose results have memory of their own: https://docs.pytorch.org/docs/stable/torch.html#pointwise-ops."""
TRIANGULAR = frozenset({"triu", "tril", "triu_", "tril_"})
"""Methods that leave a part of a matrix, and set the others to zero."""
FUNCTIONS = frozenset(
    f"torch.{name}"
    for name in (*(SHAPING - {"contiguous", "repeat", "view"}), *POINTWISE, "broadcast_to", "narrow", "triu", "tril")
)
"""Those methods that are functions as well."""
PLACING = frozenset({"device", "out", "pin_memory", "requires_grad"})
"""Arguments of factories that say where a tensor is, or what becomes of it."""
