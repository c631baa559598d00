"""The optimizer steps of a program: how many there are, what memory they keep, how fast they are."""

from __future__ import annotations

import ctypes
import gc
import signal
import time
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

from torchlint.verify.job import Job, Machine, Watch

WARM_UP = 20
_FEW = 30


class EnoughError(BaseException):
    """Ends a program that has run for long enough; not an `Exception`, which programs catch."""


class Steps:
    """Counts steps while it is entered. With several optimizers, those of the busiest."""

    def __init__(self, job: Job) -> None:
        self.count = 0
        self.are_timed_out = False
        self._job = job
        self._made: Counter[int] = Counter()
        self._memory: list[int] = []
        self._clock = _CLOCKS[job.machine]() if job.watch is Watch.CLOCK and job.machine in _CLOCKS else None

    def __enter__(self) -> Steps:
        from torch.optim.optimizer import register_optimizer_step_post_hook

        self._hook = register_optimizer_step_post_hook(self._stepped)
        if self._job.watch is Watch.MEMORY:
            gc.freeze()
        if self._job.patience and hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self._end)
            signal.setitimer(signal.ITIMER_REAL, self._job.patience)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._job.patience and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        self._hook.remove()

    def _stepped(self, optimizer: object, *_: object) -> None:
        self._made[id(optimizer)] += 1
        if self._made[id(optimizer)] <= self.count:
            return
        self.count += 1
        if self._job.watch is Watch.MEMORY:
            self._weigh()
        if self._clock is not None:
            self._clock.step(self.count)
        if self.count == self._job.steps:
            raise EnoughError

    def _end(self, *_: object) -> None:
        self.are_timed_out = True
        raise EnoughError

    def _weigh(self) -> None:
        # What only the collector can free is not kept.
        gc.collect()
        allocated = bytes_allocated()
        if allocated is not None:
            self._memory.append(allocated)

    @property
    def kept(self) -> float | None:
        """Return the bytes that a step keeps, None if too few were made or it was not measured."""
        if len(self._memory) < _FEW:
            return None
        # The first steps fill caches and make the optimizer's state.
        settled = self._memory[len(self._memory) // 3 :]
        return (settled[-1] - settled[0]) / (len(settled) - 1)

    @property
    def rates(self) -> tuple[float, ...]:
        """Return the steps per second, by the clock of the machine; empty if they were not measured."""
        return () if self._clock is None else self._clock.rates()


class _Clock(Protocol):
    """The clock of a program's steps."""

    def step(self, count: int) -> None:
        """Mark the end of a step."""

    def rates(self) -> tuple[float, ...]:
        """Return the steps per second."""


class _HostClock:
    """The time after the warm-up, and after the last step, when no GPU has work left."""

    def __init__(self) -> None:
        self._start = self._end = 0.0
        self._steps = 0

    def step(self, count: int) -> None:
        """Mark the end of a step."""
        if count == WARM_UP:
            self._start = time.perf_counter()
        elif count > WARM_UP:
            self._end = time.perf_counter()
            self._steps = count - WARM_UP

    def rates(self) -> tuple[float, ...]:
        """Return the steps per second between the marks."""
        return (self._steps / (self._end - self._start),) if self._steps else ()


class _GpuClock:
    """Two marks in the work of the GPU: after the warm-up, and after the last step."""

    def __init__(self) -> None:
        import torch

        self._start = torch.cuda.Event(enable_timing=True)
        self._end = torch.cuda.Event(enable_timing=True)
        self._steps = 0

    def step(self, count: int) -> None:
        """Mark the end of a step."""
        if count == WARM_UP:
            self._start.record()
        elif count > WARM_UP:
            self._end.record()
            self._steps = count - WARM_UP

    def rates(self) -> tuple[float, ...]:
        """Return the steps per second between the marks."""
        if not self._steps:
            return ()
        self._end.synchronize()
        return (self._steps * 1000 / self._start.elapsed_time(self._end),)


# Time is not simulated.
_CLOCKS: dict[Machine, Callable[[], _Clock]] = {Machine.PLAIN: _HostClock, Machine.REAL: _GpuClock}


class _MallInfo(ctypes.Structure):
    """glibc's counters of its heap."""

    _names = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    _fields_ = [(name, ctypes.c_size_t) for name in _names]
    hblkhd: int
    uordblks: int


def bytes_allocated() -> int | None:
    """Return how many bytes this process has allocated in C and C++; None if the system has no such counter."""
    # glibc has it since 2.33. Graphs are C++ objects: neither Python's tracers nor PyTorch's counters see them.
    mallinfo = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo is None:
        return None
    mallinfo.restype = _MallInfo
    found: _MallInfo = mallinfo()
    return found.uordblks + found.hblkhd
