"""POT: optimal transport of arrays, computed on the host."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, host_argument

COMPANION = Companion(
    "ot",
    "https://pythonot.github.io/gen_modules/ot.lp.html",
    host_arguments=(
        host_argument(
            "ot.emd ot.emd2",
            "https://pythonot.github.io/gen_modules/ot.lp.html",
        ),
    ),
)
