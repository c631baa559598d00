"""Which functions of NumPy make no ndarray of their first argument. Checked on NumPy 2.4 with torch 2.13.

All others convert a tensor, and each item of a list: `np.sqrt(t)` and `np.mean([t, t])` raise if it is on a GPU.
"""

from __future__ import annotations

NO_ARRAY_OF_TENSOR = frozenset(
    f"numpy.{name}"
    for name in ("argwhere double float64 fromiter isscalar iterable ndim nonzero real shape size squeeze str_".split())
)
"""They read attributes, iterate, take the one number, or call a method of the tensor."""
NO_ARRAY_OF_LIST = frozenset(
    f"numpy.{name}" for name in "array_equal array_equiv fromiter isscalar iterable printoptions str_".split()
)
"""They iterate, read the type, or catch what is raised."""
