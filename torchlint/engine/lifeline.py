"""A worker ends with its parent process, however that ended and whatever the worker is doing."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Thread

_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def end_with(starter: Connection) -> None:
    """End this process as soon as the other end of a pipe, which is never written to, is closed."""
    Thread(target=_wait_for_end, args=(starter,), name="lifeline", daemon=True).start()


def _wait_for_end(starter: Connection) -> None:
    # The thread cannot run while another is in long-running C code, where Linux ends the process all the same.
    if sys.platform == "linux":
        _be_killed_by_linux()
    with suppress(OSError):
        starter.poll(None)
    os._exit(1)


def _be_killed_by_linux() -> None:
    """Have the kernel end this process when its parent does."""
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
