"""Room for deep programs: a thread whose stack outlasts Python's own limit, and no collector in the way."""

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
# CPython 3.11 goes down its own stack three times as far as the limit when it makes a tree of what it has parsed.
# What is not used of a stack costs nothing but addresses, of which some machines are short.
_STACKS = (512 << 20, 128 << 20)
_PATIENCE = 1.0


class _End:
    """The last that comes of the work, with what ended it too early, to be raised again by whoever waits for it."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def deeply(work: Callable[[], Iterator[_Item]], take: Callable[[_Item], None]) -> None:
    """Iterate over some work where there is room, and take each item here, in the caller's thread.

    What either raises ends both, an interrupt included: the work then stops with the item that it is at.
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


def _in_one_piece(work: Callable[[], None]) -> None:
    work()


# CPython 3.11 and later have frames in pieces of 16 KB. Calls that go back and forth over the end of one map and unmap
# memory each time, which takes an eighth of all. A frame that wants more than that is given a piece of its own, twice
# as large as it needs, and all calls from there on find room behind it; what nobody touches costs only addresses.
_in_one_piece.__code__ = _in_one_piece.__code__.replace(co_stacksize=(8 << 20) // 8 + 1)


def _next(items: queue.SimpleQueue[_Item]) -> _Item:
    """Return the next item; waiting is done in pieces, as Windows lets nobody interrupt a long wait."""
    while True:
        with suppress(queue.Empty):
            return items.get(timeout=_PATIENCE)


def _started(run: Callable[[], None]) -> threading.Thread:
    """Start a thread with the largest stack that can be had, and allow the depth that it has room for."""
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
    """Start a thread with a stack of some size, where there is room for it."""
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
        # To the collector, all that was made meanwhile is young, and it would go through that at once: a seventh of all
        # the time. Frozen and unfrozen, it is old.
        gc.freeze()
        gc.unfreeze()
        if collects:
            gc.enable()
