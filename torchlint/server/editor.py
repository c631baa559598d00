"""The server ends with the editor, even if something else holds the pipe between them open."""

from __future__ import annotations

import os
import select
import sys
import time
from threading import Thread

_PATIENCE = 1.0
_SYNCHRONIZE, _INFINITE = 0x00100000, 0xFFFFFFFF  # <winnt.h>, <winbase.h>


def end_with(process: int | None) -> None:
    """End this process when another one has ended, or does not exist."""
    if process is not None and process > 0:
        Thread(target=_outlive, args=(process,), name="editor", daemon=True).start()


def _outlive(process: int) -> None:
    if sys.platform == "win32":
        _wait_on_windows(process)
    elif sys.platform == "linux":
        _wait_on_linux(process)
    else:
        _look_again(process)
    os._exit(1)


if sys.platform == "win32":

    def _wait_on_windows(process: int) -> None:
        import ctypes

        if handle := ctypes.windll.kernel32.OpenProcess(_SYNCHRONIZE, False, process):
            ctypes.windll.kernel32.WaitForSingleObject(handle, _INFINITE)


if sys.platform == "linux":

    def _wait_on_linux(process: int) -> None:
        try:
            descriptor = os.pidfd_open(process)
        except ProcessLookupError:
            return
        except OSError:
            # Linux before 5.3, or a sandbox that knows no such call.
            _look_again(process)
            return
        select.select([descriptor], [], [])


def _look_again(process: int) -> None:
    """Return when there is no such process."""
    while True:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        except OSError:
            # It exists, and belongs to another user.
            pass
        time.sleep(_PATIENCE)
