"""Overloads that take their scalars by position, before or between the tensors: `x.addmm_(beta, alpha, a, b)`.

They warn since PyTorch 1.5 (torch 2.13 still has them); the scalars are keywords now, `x.addmm_(a, b, beta=beta)`. An
overload differs from the present one in the number of positional arguments alone.
"""

from __future__ import annotations

_SCALED = {
    f"{name}{ending}": operands
    for name, operands in {"addmm": 2, "addmv": 2, "addr": 2, "addbmm": 2, "baddbmm": 2}.items()
    for ending in ("", "_")
}
_VALUED = {"addcmul": 2, "addcdiv": 2, "addcmul_": 2, "addcdiv_": 2}

METHODS: dict[tuple[str, int], dict[int, str]] = {
    **{(name, count + 2): {0: "beta", 1: "alpha"} for name, count in _SCALED.items()},
    **{(name, count + 1): {0: "beta"} for name, count in _SCALED.items()},
    **{(name, count + 1): {0: "value"} for name, count in _VALUED.items()},
    # Other classes have methods `add` and `sub`.
    **{(name, 2): {0: "alpha"} for name in ("add_", "sub_")},
}
"""The keywords for positions, by the name of a method of tensors and the number of its positional arguments."""

FUNCTIONS: dict[tuple[str, int], dict[int, str]] = {
    **{(f"torch.{name}", 5): {0: "beta", 2: "alpha"} for name in _SCALED if not name.endswith("_")},
    **{(f"torch.{name}", 4): {0: "beta"} for name in _SCALED if not name.endswith("_")},
    **{(f"torch.{name}", 4): {1: "value"} for name in _VALUED if not name.endswith("_")},
    **{(f"torch.{name}", 3): {1: "alpha"} for name in ("add", "sub")},
}
"""The same of functions, by their full names."""
