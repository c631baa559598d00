"""Functions that drop in evaluation, too, unless `training` says when to. Checked on torch 2.13."""

from __future__ import annotations

from torchlint.pytorch.symbols import FUNCTIONAL

ATTENTION = f"{FUNCTIONAL}scaled_dot_product_attention"
"""It drops with probability `dropout_p`, at position 4, whatever the mode."""
DROPPING = frozenset(f"{FUNCTIONAL}dropout{dimensions}" for dimensions in ("", "1d", "2d", "3d"))
"""They drop with probability `p`, at position 1, unless `training` is False, at position 2."""
