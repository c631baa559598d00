"""fvcore: its registry."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

COMPANION = Companion(
    "fvcore",
    "fvcore 0.1.5",
    registries={"fvcore.common.registry.Registry": "register"},
)
