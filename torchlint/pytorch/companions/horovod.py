"""Horovod: the rank of a process."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

RANK = "horovod.torch.rank"
"""The function that returns it."""

COMPANION = Companion(
    "horovod",
    "https://horovod.readthedocs.io/en/stable/api.html#module-horovod.torch",
)
