"""How many dimensions results have, and which arguments are their sizes. Checked on torch 2.13."""

from __future__ import annotations

ALWAYS_SHAPED = frozenset(
    f"torch.{name}"
    for name in (
        "arange linspace logspace eye range randperm tril_indices triu_indices from_numpy bartlett_window"
        " blackman_window hann_window hamming_window bincount meshgrid cartesian_prod combinations diag atleast_1d"
        " stack cat concat hstack vstack dstack block_diag"
    ).split()
)
"""Functions whose results have a dimension, whatever they are given."""
REDUCING = frozenset(
    "sum mean prod max min amax amin argmax argmin std var median norm all any logsumexp dot item numel dist nansum"
    " nanmean quantile trace det cross_entropy mse_loss l1_loss nll_loss binary_cross_entropy"
    " binary_cross_entropy_with_logits smooth_l1_loss kl_div squeeze".split()
)
"""Functions and methods whose result has no dimension, or fewer, unless they are passed one of several."""
OF_ALL = frozenset("all amax amin any argmax argmin max mean median min nanmean nansum norm prod std sum var".split())
"""Methods whose result has no dimension if they are passed nothing."""
SHAPING = frozenset("unsqueeze view reshape expand repeat flatten tolist new_zeros new_ones tile".split())

"""Methods whose result has a dimension where their arguments name one, whatever the tensor has."""
WITH_INDICES = frozenset("max min sort topk median nanmedian mode kthvalue cummax cummin".split())
"""What returns the values and then their indices along a dimension: https://docs.pytorch.org/docs/stable/torch.html."""
SIZED_METHODS = frozenset("view reshape expand repeat unflatten new_zeros new_ones new_empty".split())
"""Methods that are passed the sizes of their result."""
SIZED = frozenset("zeros ones empty rand randn".split())
"""Functions that are passed the sizes of their result, one by one or in a tuple."""
KEEPING_DIMENSIONS = frozenset({"cpu", "cuda", "detach", "numpy", "tolist"})
"""Methods without arguments whose result has the dimensions of a tensor: a list in lists, and a number of a scalar."""

SCALAR_INDEX_RAISES = (1, 0)
"""Since when `x[0]` of a tensor without a dimension raises. 0.4, the first release with such tensors, warns that 0.5
will, which became 1.0: https://github.com/pytorch/pytorch/releases/tag/v0.4.0"""
