"""Detectron2: its registry."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

COMPANION = Companion(
    "detectron2",
    "https://detectron2.readthedocs.io/en/latest/modules/utils.html",
    registries={"detectron2.utils.registry.Registry": "register"},
)
