"""Which results have the strides of an operand, and so its order in memory. Checked on torch 2.13.

https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

from torchlint.pytorch.dtypes import CASTS

COMPARING = frozenset("eq ne lt le gt ge".split())
"""Methods and functions of two tensors whose result has the strides of the first, unless that is broadcast."""
BROADCAST = frozenset({"view", "expand_as", "expand", "unsqueeze"})
"""Methods that make the one of two operands that is broadcast: `target.view(1, -1).expand_as(pred)`."""
KEEPING_STRIDES = frozenset({*CASTS, "clone", "cpu", "cuda", "detach", "to", "type"})
"""Methods whose result has the strides of the tensor."""
TOPK = "torch.topk"
RANKING = frozenset({"topk"})
"""The function and the method of which both results are in the order of their elements."""
