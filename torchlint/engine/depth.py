"""Room for deep programs: a thread whose stack is larger than Python's own limit, and no garbage collection."""

from __future__ import annotations

import gc
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

_Item = TypeVar("_Item")

_RECURSION_LIMIT, _PYTHONS_OWN_LIMIT = 20_000, 1_000
# CPython 3.11 recurses three times as deep as the limit when it makes a tree of what it has parsed. The unused part of
# a stack takes only addresses, of which some machines are short.
_STACKS = (512 << 20, 128 << 20)
_PATIENCE = 1.0


class _End:
    """The end of the work, with the exception that ended it, to be raised again by the consumer."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def deeply(work: Callable[[], Iterator[_Item]], take: Callable[[_Item], None]) -> None:
    """Iterate over some work in a thread with a large stack, and process each item here, in the caller's thread.

    An exception of either ends both, an interrupt included: the work then stops with its current item.
    """
    items: queue.SimpleQueue[_Item | _End] = queue.SimpleQueue()
    left = threading.Event()

    def go_on() -> None:
        for item in work():
            items.put(item)
            if left.is_set():
                return

    def run() -> None:
        try:
            _in_one_piece(go_on)
            items.put(_End())
        except BaseException as error:  # noqa: BLE001 -- raised again below
            items.put(_End(error))

    with _without_limits():
        thread = _started(run)
        try:
            while not isinstance(item := _next(items), _End):
                take(item)
        finally:
            left.set()
        thread.join()
    if item.error is not None:
        raise item.error


def in_deep_thread(work: Callable[[], _Item]) -> _Item:
    """Return what a function returns in a thread with a large stack."""
    found: list[_Item] = []
    deeply(lambda: iter((work(),)), found.append)
    return found[0]


def _in_one_piece(work: Callable[[], None]) -> None:
    work()


# CPython 3.11 and later have frames in chunks of 16 KB. Calls that cross the end of one map and unmap memory each time,
# which takes an eighth of all the time. A frame that needs more than that has a chunk of its own, twice as large as it
# needs, and all calls from there on have room after it; untouched memory takes only addresses.
_in_one_piece.__code__ = _in_one_piece.__code__.replace(co_stacksize=(8 << 20) // 8 + 1)


def _next(items: queue.SimpleQueue[_Item]) -> _Item:
    """Return the next item; the wait has timeouts, as Windows cannot interrupt a long one."""
    while True:
        with suppress(queue.Empty):
            return items.get(timeout=_PATIENCE)


def _started(run: Callable[[], None]) -> threading.Thread:
    """Start a thread with the largest possible stack, and set the recursion limit that it has room for."""
    before = threading.stack_size()
    try:
        for size in _STACKS:
            if (thread := _thread(size, run)) is not None:
                return thread
    finally:
        threading.stack_size(before)
    sys.setrecursionlimit(_PYTHONS_OWN_LIMIT)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def _thread(stack: int, run: Callable[[], None]) -> threading.Thread | None:
    """Start a thread with a stack of some size, if there is room for it."""
    thread = threading.Thread(target=run, daemon=True)
    try:
        threading.stack_size(stack)
        thread.start()
    except (RuntimeError, ValueError):
        return None
    return thread


@contextmanager
def _without_limits() -> Iterator[None]:
    limit, collects = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        # All that was made meanwhile is in the youngest generation, and would be traversed at once: a seventh of all
        # the time. Frozen and unfrozen, it is in the oldest.
        gc.freeze()
        gc.unfreeze()
        if collects:
            gc.enable()
