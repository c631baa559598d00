"""Overloads that take their scalars by position, before or between the tensors: `x.addmm_(beta, alpha, a, b)`.

They warn since PyTorch 1.5 (torch 2.13 still has them); the scalars are keywords now, `x.addmm_(a, b, beta=beta)`. An
overload differs from the present one in the number of positional arguments alone.
"""

from __future__ import annotations

# Each takes two tensors besides the one that it adds to.
_SCALED = ("addmm", "addmv", "addr", "addbmm", "baddbmm")
_VALUED = ("addcmul", "addcdiv")
_ENDINGS = ("", "_")

METHODS: dict[tuple[str, int], dict[int, str]] = {
    **{(f"{name}{ending}", 4): {0: "beta", 1: "alpha"} for name in _SCALED for ending in _ENDINGS},
    **{(f"{name}{ending}", 3): {0: "beta"} for name in _SCALED for ending in _ENDINGS},
    **{(f"{name}{ending}", 3): {0: "value"} for name in _VALUED for ending in _ENDINGS},
    # Other classes have methods `add` and `sub`.
    **{(name, 2): {0: "alpha"} for name in ("add_", "sub_")},
}
"""The keywords for positions, by the name of a method of tensors and the number of its positional arguments."""

FUNCTIONS: dict[tuple[str, int], dict[int, str]] = {
    **{(f"torch.{name}", 5): {0: "beta", 2: "alpha"} for name in _SCALED},
    **{(f"torch.{name}", 4): {0: "beta"} for name in _SCALED},
    **{(f"torch.{name}", 4): {1: "value"} for name in _VALUED},
    **{(f"torch.{name}", 3): {1: "alpha"} for name in ("add", "sub")},
}
"""The same of functions, by their full names."""
