"""Generators of random numbers, each with a state of its own."""

from __future__ import annotations

from torchlint.pytorch.symbols import GENERATOR

NUMPY_GENERATORS = frozenset({"numpy.random.default_rng", "numpy.random.RandomState"})
GENERATORS = NUMPY_GENERATORS | {"random.Random", GENERATOR}
"""What makes one; a worker of a loader has a copy of each in its data set, in the same state."""
SEEDING = "manual_seed"
"""The method of PyTorch's own that returns the generator."""
