"""Rich: progress bars, which yield what they iterate over."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

COMPANION = Companion(
    "rich",
    "rich 15.0.0",
    passing=frozenset({"rich.progress.track"}),
)
