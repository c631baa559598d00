"""What makes numbers of 64 bits: NumPy wherever nobody says otherwise, and PyTorch of these and of Python's floats.

Checked on NumPy 2.4 and torch 2.13. MPS has no such type: https://docs.pytorch.org/docs/stable/notes/mps.html
"""

from __future__ import annotations

from collections.abc import Mapping

DOUBLE_ARRAYS: Mapping[str, int | None] = {
    **dict.fromkeys(("numpy.zeros", "numpy.ones", "numpy.empty", "numpy.identity"), 1),
    "numpy.eye": 3,
    "numpy.linspace": 5,
    **dict.fromkeys(("numpy.hanning", "numpy.hamming", "numpy.blackman"), None),
}
"""Functions that make arrays of doubles, each with the position of the `dtype` that they may be given instead."""

SAMPLING = {
    **dict.fromkeys("random random_sample rand randn standard_normal".split(), 0),
    **dict.fromkeys("uniform normal beta laplace lognormal gamma".split(), 2),
    "exponential": 1,
}
"""Functions of `numpy.random`, and methods of its generators, that draw doubles: at which position the size may stand.

Without a size they return a float of Python, which leaves an array the type that it has.
"""

GENERATORS = frozenset({"numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.Generator"})
KEEPS_TYPE = frozenset(
    "copy reshape ravel flatten transpose swapaxes squeeze repeat clip cumsum"
    " clone contiguous cpu pin_memory flip roll".split()
)
"""Methods of arrays and tensors whose results have the type that these have, of doubles in any case."""

DOUBLE_TYPES = frozenset({"numpy.float64", "numpy.double", "torch.float64", "torch.double", "builtins.float"})
"""Names of the type; Python's own `float` stands for it as well."""

TENSOR_OF_ARRAY = frozenset({"torch.from_numpy", "torch.as_tensor", "torch.tensor"})
"""Functions that make a tensor of the type of an array."""
