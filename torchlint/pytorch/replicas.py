"""What the replicas of `DataParallel` have not: since torch 1.5 their weights are attributes, and no parameters."""

from __future__ import annotations

EMPTY = ("parameters", "named_parameters")
"""The methods of a module that yield nothing on a replica, and on the modules in it."""
RUNNING_HOOKS = ("replicate", "parallel_apply")
HOOKS = frozenset({*RUNNING_HOOKS, "scatter", "gather"})
"""The methods that the `forward` of `DataParallel` calls where it has devices; the first two run the replicas."""
