"""Processes that may do anything: they are watched while they run, and all that they started is ended."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

_POLL, _LOOK = 0.003, 0.1
_MOST_PROCESSES, _MOST_OUTPUT = 200, 16 << 20
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


@dataclass(frozen=True, slots=True)
class Ending:
    """How a process ended: `status` is its own, `stopped` says why it was stopped."""

    status: int = 0
    stopped: str = ""

    @property
    def reason(self) -> str:
        """Return why there is no verdict."""
        if self.stopped:
            return self.stopped
        if self.status < 0:
            names = {number.value: number.name for number in signal.Signals}
            return f"killed by {names.get(-self.status, f'signal {-self.status}')}"
        return f"ended with status {self.status} before it was done"


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants, so that they can be found; Linux only."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_parent() -> None:
    """Have the kernel end this process when its parent has ended, killed or not; Linux only."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def watch(pid: int, limit: float, output: Path) -> Ending:
    """Wait for a child of ours, and stop it if it takes too long, prints too much or forks too often."""
    deadline = time.monotonic() + limit
    next_look = time.monotonic() + _LOOK
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return Ending(os.waitstatus_to_exitcode(status))
        now = time.monotonic()
        if now > deadline:
            return Ending(stopped=f"stopped after {limit:g} s")
        if now > next_look:
            next_look = now + _LOOK
            if excess := _excess(output):
                return Ending(stopped=excess)
        time.sleep(_POLL)


def _excess(output: Path) -> str:
    if output.exists() and output.stat().st_size > _MOST_OUTPUT:
        return f"stopped after printing {_MOST_OUTPUT >> 20} MiB"
    if len(_descendants(os.getpid())) > _MOST_PROCESSES:
        return f"stopped when it had become {_MOST_PROCESSES} processes"
    return ""


def end_all(pid: int) -> None:
    """Kill a child of ours and everything that it has started, in its own session or not."""
    # The whole group at once: that includes what forks faster than it can be found.
    _kill_group(pid)
    end = time.monotonic() + 5
    while (left := _children(os.getpid())) and time.monotonic() < end:
        for child in left:
            _kill_group(child)
            _kill(child)
        _reap()
    _reap()


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _kill_group(pid: int) -> None:
    """Kill the group that a process leads, unless it leads none."""
    try:
        if os.getpgid(pid) != os.getpgrp():
            os.killpg(os.getpgid(pid), signal.SIGKILL)
    except ProcessLookupError:
        pass


def _descendants(pid: int) -> list[int]:
    found = _children(pid)
    # The list grows while it is walked.
    for child in found:
        if len(found) > _MOST_PROCESSES:
            break
        found += _children(child)
    return found


def _children(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except (OSError, ValueError):
        return []
