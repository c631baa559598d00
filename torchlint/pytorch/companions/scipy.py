"""SciPy: what optimizes takes arrays of NumPy."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, array_arguments, host_argument

COMPANION = Companion(
    "scipy",
    "https://docs.scipy.org/doc/scipy/dev/api-dev/array_api.html",
    host_arguments=(
        host_argument(
            "scipy.optimize.linear_sum_assignment scipy.optimize.linprog scipy.optimize.milp scipy.optimize.minimize",
            "https://docs.scipy.org/doc/scipy/dev/api-dev/array_api.html",
        ),
    ),
    # Run on scipy 1.17.1, which takes tensors only if `SCIPY_ARRAY_API` is set.
    arrays=(array_arguments("scipy.stats.", "kendalltau linregress pearsonr spearmanr wasserstein_distance", 2),),
)
