"""Methods of tensors that return a view, and so compute nothing: https://docs.pytorch.org/docs/stable/tensor_view.html.

Checked on torch 2.13.
"""

from __future__ import annotations

VIEWS = frozenset(
    "as_strided chunk detach diagonal dsplit expand expand_as hsplit movedim moveaxis narrow permute select split"
    " squeeze swapaxes swapdims t tensor_split transpose unbind unflatten unfold unsqueeze view view_as vsplit".split()
)
"""What always is one."""
VIEWS_AT_TIMES = frozenset(
    "contiguous double flatten float half bfloat16 int long ravel reshape reshape_as type type_as".split()
)
"""What is one, or the tensor itself, if its layout and its type allow it."""
VIEW_ATTRIBUTES = frozenset("H T data imag mH mT real".split())
"""Attributes that are one."""
_SEVERAL = frozenset("chunk dsplit hsplit split tensor_split unbind vsplit".split())
ONE_VIEW = VIEWS - _SEVERAL
"""Methods that return one tensor, which is a view."""
SHARED_ON_HOST = ONE_VIEW | {"cpu", "numpy"}
"""Methods that return one tensor, or array, with the memory of a tensor on the host."""
OF_CONTIGUOUS = ONE_VIEW | {"contiguous", "reshape"}
"""Methods whose result has the memory of a tensor that is contiguous."""
_COPIES = frozenset("clone cpu cuda index_select masked_select requires_grad_ to".split())
SAME_NUMBERS = ONE_VIEW | (VIEWS_AT_TIMES - {"int", "long"}) | _COPIES
"""Methods that return the numbers of a tensor, or some of them, in one tensor."""
SAME_MEMORY = VIEWS | VIEW_ATTRIBUTES | {"broadcast_to", "detach_", "requires_grad_"}
"""Whatever gives a view of a tensor, or the tensor itself, when it is asked for it by name."""
SAME_SIZE = frozenset("abs clamp clone cpu cuda detach exp float log neg relu sigmoid sqrt square tanh".split())
"""Methods whose result has the size of the tensor, so that of a scalar is one."""
ITSELF_AT_TIMES = frozenset({"bool", "atleast_1d", "atleast_2d"})
"""Methods and functions that return the tensor itself where it is like that already, else a view or a copy."""
BY_PARTS = frozenset({"split", "chunk", "tensor_split", "unfold", "view", "reshape", "stack"})
"""What is called to go through its result part by part."""
ONE_ELEMENT = frozenset({"unsqueeze", "squeeze", "view", "reshape", "flatten", "float", "detach"})
"""Methods whose result has one element if the tensor has."""
