"""SpeechBrain: its loader."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "speechbrain",
    "speechbrain 1.1.2",
    classes={
        Role.LOADER: "SaveableDataLoader",
    },
)
