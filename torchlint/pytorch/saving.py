"""What is saved with its code: https://docs.pytorch.org/docs/stable/generated/torch.jit.save.html."""

from __future__ import annotations

WITH_CODE = ("torch.jit.", "torch.export.", "torch.fx.", "torch.package.")
"""The prefixes of the names of functions and classes, of torch 2.13, whose results are."""
