"""Where gradients end: what asks a tensor for something that has no graph. Run on torch 2.13.0."""

from __future__ import annotations

ENDING_METHODS = frozenset(
    "detach size dim numel stride nelement item tolist argmax argmin argsort nonzero eq ne lt le gt ge isnan isinf"
    " isfinite isclose allclose equal new_zeros new_ones new_empty new_full long int bool byte short logical_not"
    " logical_and logical_or any all".split()
)
ENDING_ATTRIBUTES = frozenset("data shape dtype device layout requires_grad is_cuda ndim grad_fn is_leaf".split())
ENDING_FUNCTIONS = frozenset("zeros_like ones_like empty_like full_like rand_like randn_like is_tensor".split())
OF_PYTHON = frozenset({"len", "range", "print", "isinstance"})
WITHOUT_GRAPH = frozenset({"data", "grad"})
"""Attributes of a tensor that are tensors without its graph."""
GRADIENT_ENDS = ENDING_METHODS | ENDING_ATTRIBUTES | ENDING_FUNCTIONS | OF_PYTHON
"""The last names of all of them."""
KEEPING_GRAPHS = frozenset({"builtins", "einops", "math", "torch"})
"""Packages whose functions return a tensor with the graph of what they are given, or no tensor at all."""
LEAVES = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch.tensor"})
"""What makes a leaf of its own of a tensor, whatever graph that has."""
DETACHING = frozenset({"data", "detach", "detach_", "item", "requires_grad_"})
"""What a program calls, or reads, to go on without the graph of a state; `requires_grad_` makes a leaf of the rest."""
WITHOUT_HISTORY = ("detach_", "detach")
"""Methods, and functions of `torch`, whose result has no graph: the first changes the tensor itself."""
REQUIRING = frozenset({"Parameter", "Variable", "requires_grad_"})
"""What makes a leaf that may require gradients, by the last names."""
OF_LEAVES = ("grad", "requires_grad_")
"""The attribute and the method of a tensor that show that it is meant to be such a leaf."""
READS = frozenset({"item", "tolist", "numpy", "detach", "argmax"})
"""Methods by which a result is looked at; nothing after them can be differentiated, and `numpy` raises before."""
READ_ATTRIBUTES = frozenset({"data", "shape"})
ARGMAX = "torch.argmax"
