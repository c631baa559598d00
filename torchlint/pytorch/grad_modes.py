"""What switches autograd's recording, as a block or as a decorator."""

from __future__ import annotations

from typing import NamedTuple


class GradMode(NamedTuple):
    """A context manager that sets the mode of autograd; checked on torch 2.13.0."""

    name: str
    """Its last name: it is in `torch` and `torch.autograd`."""
    records: bool
    """Whether autograd records inside of it, with no argument or True."""
    parameter: str = ""
    """The argument that inverts it if it is False; empty if there is none."""
    is_passed: bool = False
    """Whether that is required."""
    is_inference: bool = False
    """Whether it is inference mode, which no other mode overrides."""


_ROWS = (
    GradMode("no_grad", records=False),
    GradMode("enable_grad", records=True),
    GradMode("set_grad_enabled", records=True, parameter="mode", is_passed=True),
    GradMode("inference_mode", records=False, parameter="mode", is_inference=True),
)
GRAD_MODES = {row.name: row for row in _ROWS}
"""What switches recording, by its last name."""
COMPUTING_MODES = frozenset(GRAD_MODES) | {"autocast", "device"}
"""Blocks that set how something is computed, and do not watch it."""
ABOUT_GRAPH = frozenset({"requires_grad", "grad_fn"})
"""Attributes that tell whether a tensor has a graph."""
ABOUT_RECORDING = ABOUT_GRAPH | {"is_grad_enabled", "is_inference_mode_enabled", "is_leaf"}
"""What else tells whether autograd records; the functions are in `torch`."""
FREEZING = ("requires_grad", "requires_grad_")
"""The attribute and the method of tensors that set whether they get gradients, on torch 2.13."""
