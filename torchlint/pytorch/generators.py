"""Generators of random numbers, each with a state of its own."""

from __future__ import annotations

from torchlint.pytorch.symbols import GENERATOR

NUMPY_GENERATORS = frozenset({"numpy.random.default_rng", "numpy.random.RandomState"})
GENERATORS = NUMPY_GENERATORS | {"random.Random", GENERATOR}
"""What makes one; a worker of a loader has a copy of each in its data set, in the same state."""
SEEDING = "manual_seed"
"""The method of PyTorch's own that returns the generator."""
RESEEDING = frozenset({"seed", "manual_seed", "set_state"})
"""Methods of generators of Python, NumPy and PyTorch after which they draw other numbers."""
DRAWING = frozenset(f"torch.{name}" for name in ("rand", "randint", "randn", "randperm"))
"""Functions that draw numbers on `device=` with a `generator` of that kind of device, and raise for another."""
DRAWING_METHODS = frozenset(
    "bernoulli bernoulli_ cauchy_ exponential_ geometric_ log_normal_ multinomial normal_ random_ uniform_".split()
)
"""Methods of tensors that draw on the device of the tensor."""
DRAWING_ON_HOST = frozenset(
    f"torch.utils.data.{name}" for name in ("DataLoader", "RandomSampler", "WeightedRandomSampler", "random_split")
)
"""What draws on the default device, which is the CPU, with a `generator`."""
