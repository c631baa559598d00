"""How Python and PyTorch start processes, and with which arguments. Checked on Python 3.11 and torch 2.13.

A process that is forked has a copy of everything, and no CUDA once its parent has used it. On Linux `fork` is Python's
default up to 3.13: https://docs.python.org/3/library/multiprocessing.html
"""

from __future__ import annotations

FORK = "fork"

_PACKAGES = ("multiprocessing", "torch.multiprocessing")
DEFAULT_CONTEXT = "multiprocessing.context.DefaultContext"
"""The context of whatever start method the program has."""
CONTEXTS = {
    "fork": "multiprocessing.context.ForkContext",
    "spawn": "multiprocessing.context.SpawnContext",
    "forkserver": "multiprocessing.context.ForkServerContext",
}
"""What `get_context` returns, by its argument, a start method."""
CONTEXT_CLASSES = frozenset({DEFAULT_CONTEXT, *CONTEXTS.values()})
GET_CONTEXT = tuple(f"{package}.get_context" for package in _PACKAGES)
SET_START_METHOD = tuple(f"{package}.set_start_method" for package in _PACKAGES)

_METHODS = {DEFAULT_CONTEXT: None, **{name: method for method, name in CONTEXTS.items()}}
# The functions of the packages start processes as those of the default context do.
_HOLDERS: dict[str, str | None] = {**dict.fromkeys(_PACKAGES, None), **_METHODS}
PROCESSES = {
    "multiprocessing.context.Process": None,
    **{f"{holder}.Process": method for holder, method in _HOLDERS.items()},
}
"""The classes of processes, each with its own start method; None if that is up to the program."""
POOLS = {
    "multiprocessing.pool.Pool": None,
    **{f"{holder}.Pool": method for holder, method in _HOLDERS.items()},
}
"""The same for pools; one of `multiprocessing.pool` has a keyword for a context."""
QUEUES = frozenset(f"{holder}.{kind}" for holder in _HOLDERS for kind in ("Queue", "SimpleQueue", "JoinableQueue"))
"""What hands objects on to the processes that were given it."""
EXECUTORS = ("concurrent.futures.ProcessPoolExecutor", "concurrent.futures.process.ProcessPoolExecutor")
"""Pools with a keyword for a context, `mp_context`."""
CONTEXT_ARGUMENT = ("mp_context", "context", "multiprocessing_context")

START_PROCESSES = "torch.multiprocessing.start_processes"
"""Starts a function in several processes: by `spawn`, unless `start_method` says otherwise."""

SPAWN = "torch.multiprocessing.spawn"
"""Starts a function in several processes by `spawn`, whatever the start method of the program is."""
TELLING_APART = ("__name__", "current_process")
"""What tells the process that runs a script from those that it spawns, which run the file again as `__mp_main__`.

`parent_process()` does not: it is still None while a spawned process runs the file.
"""

SPAWNING = frozenset({"spawn", "start_processes"})
"""The last names of the functions of `torch.multiprocessing` that start one process for each rank."""

AS_TUPLE, AS_ITEMS, AS_REST = "as a tuple", "as items", "as the rest"
POOL_CALLS = {
    **dict.fromkeys(("apply", "apply_async"), AS_TUPLE),
    **dict.fromkeys(("map", "map_async", "imap", "imap_unordered", "starmap", "starmap_async"), AS_ITEMS),
}
"""The methods of a pool that run their first argument in its processes, and how they pass the others to it."""
EXECUTOR_CALLS = {"submit": AS_REST, "map": AS_ITEMS}
"""The same for an executor."""

PICKLING = frozenset({"spawn", "forkserver"})
"""The start methods by which processes get what is pickled for them. One of them is Python's default on Windows and
macOS, and since 3.14 on Linux: https://docs.python.org/3/library/multiprocessing.html"""
PICKLED_HOOKS = ("__getstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__")
"""The methods by which a class decides itself what of its objects is pickled."""
PICKLED_ATTRIBUTES = ("torchvision.datasets.", "torchvision.transforms.", "torch.utils.data.")
"""Where classes keep their arguments as attributes: datasets and transforms. Checked on torch 2.13."""
