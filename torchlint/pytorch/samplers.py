"""What chooses the samples of a loader. Checked on torch 2.13."""

from __future__ import annotations

from torchlint.pytorch.loaders import LOADER_AT
from torchlint.pytorch.symbols import LOADER, RANDOM_SAMPLER, RANDOM_SPLIT

GENERATOR_AT = {LOADER: LOADER_AT["generator"], RANDOM_SAMPLER: 3, RANDOM_SPLIT: 2}
"""What draws random numbers on the host, and the position of its `generator`."""
SHUFFLE_AT = 3
"""The position of `shuffle` in the arguments of a `DistributedSampler`."""
