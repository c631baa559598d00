"""Ignite: its engine."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

ENGINE = "ignite.engine.Engine"
SUPERVISED_TRAINER = "ignite.engine.create_supervised_trainer"
"""The function that makes an engine for training."""

COMPANION = Companion(
    "ignite",
    "https://docs.pytorch.org/ignite/generated/ignite.engine.engine.Engine.html",
    aliases={"ignite.engine.engine.Engine": ENGINE},
)
