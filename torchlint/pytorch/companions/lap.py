"""lap: assignments of arrays of NumPy."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, host_argument

COMPANION = Companion(
    "lap",
    "https://github.com/gatagat/lap",
    host_arguments=(
        host_argument(
            "lap.lapjv",
            "https://github.com/gatagat/lap",
        ),
    ),
)
