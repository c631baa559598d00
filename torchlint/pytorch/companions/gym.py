"""Gym: environments, whose actions are arrays on the host."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, host_argument

COMPANION = Companion(
    "gym",
    "gym 0.26.2",
    host_arguments=(
        host_argument(
            "gym.Env.step gym.vector.SyncVectorEnv.step gym.vector.AsyncVectorEnv.step",
            "https://gymnasium.farama.org/api/env/#gymnasium.Env.step",
        ),
    ),
    environments={"gym.make": "gym.Env", "gym.vector.make": "gym.Env"},
)
