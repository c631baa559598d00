"""Softmaxes that choose their dimension by the number of dimensions, and warn, unless `dim` is passed.

Checked on torch 2.13.
"""

from __future__ import annotations

from torchlint.pytorch.symbols import FUNCTIONAL, NN

FUNCTIONS = frozenset(f"{FUNCTIONAL}{name}" for name in ("softmax", "log_softmax", "softmin"))
"""They take `dim` second."""
MODULES = frozenset(f"{NN}{name}" for name in ("Softmax", "LogSoftmax", "Softmin"))
"""They take `dim` first."""
