"""Methods and functions of tensors whose result is a tensor of truth values. Checked on torch 2.13."""

from __future__ import annotations

COMPARISONS = frozenset({"eq", "ne", "gt", "lt", "ge", "le"})
"""What the operators are called; `torch` has them as functions, too."""
MASKING = COMPARISONS | {
    "bool", "isclose", "isfinite", "isinf", "isnan", "logical_and", "logical_not", "logical_or", "logical_xor",
    "signbit",
}  # fmt: skip
TRUTH_VALUES = frozenset({"torch.bool"})
"""The dtype of these results: what is made with it has truth values, too."""
