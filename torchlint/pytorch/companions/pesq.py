"""PESQ: scores of arrays of NumPy."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, host_argument

COMPANION = Companion(
    "pesq",
    "https://github.com/ludlows/PESQ",
    host_arguments=(
        host_argument(
            "pesq.pesq",
            "https://github.com/ludlows/PESQ",
        ),
    ),
)
