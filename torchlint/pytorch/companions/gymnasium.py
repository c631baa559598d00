"""Gymnasium: environments, whose actions are arrays on the host."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, host_argument

COMPANION = Companion(
    "gymnasium",
    "gymnasium 1.4.0",
    host_arguments=(
        host_argument(
            "gymnasium.Env.step gymnasium.vector.SyncVectorEnv.step gymnasium.vector.AsyncVectorEnv.step",
            "https://gymnasium.farama.org/api/env/#gymnasium.Env.step",
        ),
    ),
    environments={"gymnasium.make": "gymnasium.Env", "gymnasium.make_vec": "gymnasium.Env"},
)
