"""Diffusers: how it asks for torch's version."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

COMPANION = Companion(
    "diffusers",
    "diffusers 0.42.1",
    comparing_versions=frozenset({"diffusers.utils.is_torch_version"}),
)
