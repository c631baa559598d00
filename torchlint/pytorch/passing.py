"""Functions that return their first argument, or what iterates over it."""

from __future__ import annotations

from torchlint.pytorch.companions import COMPANIONS
from torchlint.pytorch.symbols import CONVERT_NORMS

REPARAMETRIZING = frozenset({
    "torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm",
    "torch.nn.utils.parametrizations.weight_norm", "torch.nn.utils.parametrizations.spectral_norm",
})  # fmt: skip
"""They change a module, and return it; checked on torch 2.13."""
SHOWING = frozenset[str]().union(*(companion.passing for companion in COMPANIONS))
"""Progress bars, which go through something as it is, by their full names."""
PASSING = REPARAMETRIZING | SHOWING | {
    "copy.deepcopy", "copy.copy", "itertools.cycle", "itertools.islice", "torch.nn.parallel.data_parallel",
    CONVERT_NORMS,
}  # fmt: skip
