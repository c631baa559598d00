"""pystoi: scores of arrays of NumPy."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, host_argument

COMPANION = Companion(
    "pystoi",
    "https://github.com/mpariente/pystoi",
    host_arguments=(
        host_argument(
            "pystoi.stoi",
            "https://github.com/mpariente/pystoi",
        ),
    ),
)
