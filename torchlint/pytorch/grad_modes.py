"""What switches autograd's recording, as a block or as a decorator."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GradMode:
    """A context manager that sets the mode of autograd; checked on torch 2.13.0."""

    name: str
    """Its last name: it is to be had under `torch` and `torch.autograd`."""
    records: bool
    """Whether autograd records inside of it, where nothing is passed, or True is."""
    parameter: str = ""
    """The argument that turns it round where it is False; empty where there is none."""
    is_passed: bool = False
    """Whether that has to be passed."""
    is_inference: bool = False
    """Whether it is about inference mode, in which nothing else brings recording back."""


_ROWS = (
    GradMode("no_grad", records=False),
    GradMode("enable_grad", records=True),
    GradMode("set_grad_enabled", records=True, parameter="mode", is_passed=True),
    GradMode("inference_mode", records=False, parameter="mode", is_inference=True),
)
GRAD_MODES = {row.name: row for row in _ROWS}
"""What switches recording, by its last name."""
