"""What makes ndarrays of which arguments. Checked on NumPy 2.4 with torch 2.13.

It converts a tensor, and each item of a list: `np.sqrt(t)` and `np.mean([t, t])` raise if it is on a GPU.
"""

from __future__ import annotations

from torchlint.pytorch.companions import COMPANIONS

NO_ARRAY_OF_TENSOR = frozenset(
    f"numpy.{name}"
    for name in ("argwhere double float64 fromiter isscalar iterable ndim nonzero real shape size squeeze str_".split())
)
"""All others of NumPy convert their first argument. These read attributes, iterate, take the one number, or call a
method of the tensor."""
NO_ARRAY_OF_LIST = frozenset(
    f"numpy.{name}" for name in "array_equal array_equiv fromiter isscalar iterable printoptions str_".split()
)
"""They iterate, read the type, or catch what is raised."""
OF_TWO = frozenset(
    f"numpy.{name}"
    for name in (
        "add allclose append arctan2 convolve corrcoef correlate cov cross digitize divide dot equal full greater"
        " histogram2d hypot inner intersect1d isclose isin kron less linspace logaddexp matmul maximum minimum multiply"
        " outer percentile power quantile random.normal random.uniform save savetxt searchsorted setdiff1d subtract"
        " testing.assert_allclose testing.assert_almost_equal testing.assert_array_almost_equal"
        " testing.assert_array_equal union1d vdot"
    ).split()
)
"""Functions of NumPy that convert their second argument, too."""
ARRAY_ARGUMENTS = {name: row for companion in COMPANIONS for row in companion.arrays for name in row.names}
"""Functions of other packages that convert theirs."""
ARRAY_PACKAGES = ("numpy", *sorted({name.partition(".")[0] for name in ARRAY_ARGUMENTS}))
