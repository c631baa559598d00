"""Count from outside what linting takes: every call of a function, of Python's or of C's, so that no walk can hide."""

from __future__ import annotations

import cProfile
import gc
import multiprocessing
import os
import resource
import sys
import threading
import time
from _thread import LockType, allocate_lock
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from pkgutil import walk_packages
from types import CodeType
from typing import cast

import torchlint.model
from torchlint.engine import Job
from torchlint.engine.linter import Linter
from torchlint.registry import BUILTIN
from torchlint.report import FileReport

_CHECKOUT = Path(__file__).parents[2]
_MOST_BYTES = 4 << 30
# As deep as linting goes otherwise.
_STACK, _DEPTH = 512 << 20, 20_000
_LOOKING = 0.1
_LOOKING_ON = {"<method 'acquire' of '_thread.lock' objects>", "<method 'getstats' of '_lsprof.Profiler' objects>"}


@dataclass(frozen=True, slots=True)
class Limits:
    """Where linting a program is stopped: after so many steps, and after so long that the count did not help."""

    steps: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Counted:
    """What linting a program took; where it did not end, that is how far it came, and `stopped` says why.

    `calls` tells of pairs of functions how often the first called the second, where that was asked for.
    """

    steps: int
    seconds: float
    megabytes: float
    findings: int = 0
    failed: tuple[str, ...] = ()
    stopped: str = ""
    calls: dict[tuple[str, str], int] = field(default_factory=dict)


def counted(job: Job, limits: Limits, *, by_caller: bool = False) -> Counted:
    """Lint a job in a process of its own, and count its steps.

    They are the same each time in the same folder, with the same `PYTHONHASHSEED`: sets are gone through by hashes.
    """
    ours, theirs = multiprocessing.Pipe(duplex=False)
    work = multiprocessing.get_context("fork").Process(target=_answer, args=(job, limits, by_caller, theirs))
    work.start()
    theirs.close()
    try:
        if ours.poll(limits.seconds):
            return cast("Counted", ours.recv())
        return Counted(0, limits.seconds, 0, stopped=f"> {limits.seconds:.0f} s")
    except EOFError:
        return Counted(0, 0, 0, stopped="the process died")
    finally:
        work.kill()
        work.join()


def warm_up(job: Job) -> None:
    """Load all that rules ask, and lint a job here, so that what happens once is counted for no other."""
    for package in (torchlint.model, import_module(BUILTIN)):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    _in_a_deep_thread(lambda: _lint(job)).acquire()
    gc.collect()
    gc.freeze()


def _answer(job: Job, limits: Limits, by_caller: bool, answer: Connection) -> None:
    """Lint a job and answer with what that took; this process ends with the answer."""
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    profiler = cProfile.Profile(subcalls=by_caller)
    reports: list[FileReport] = []
    before = time.process_time()
    ended = _in_a_deep_thread(lambda: reports.extend(profiler.runcall(_lint, job)))
    while not (has_ended := ended.acquire(timeout=_LOOKING)) and _steps(profiler) <= limits.steps:
        pass
    seconds, steps = time.process_time() - before, _steps(profiler)
    stopped = f"> {limits.steps:,} steps" if not has_ended or steps > limits.steps else ""
    failed = [error.message for report in reports for error in report.errors]
    if has_ended and len(reports) < len(job.targets):
        failed.append("linting raised an error")
    findings = sum(len(report.findings) for report in reports)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    calls = _calls(profiler)
    answer.send(Counted(min(steps, limits.steps), seconds, peak, findings, tuple(failed), stopped, calls))
    os._exit(0)


def _steps(profiler: cProfile.Profile) -> int:
    """Return how many calls there were so far; from Python 3.12 on those of the thread that looks are among them."""
    steps = 0
    for entry in profiler.getstats():
        if entry.code not in _LOOKING_ON and getattr(entry.code, "co_filename", "") != __file__:
            steps += entry.callcount
    return steps


def _calls(profiler: cProfile.Profile) -> dict[tuple[str, str], int]:
    """Return how often each function called each."""
    calls: dict[tuple[str, str], int] = {}
    for entry in profiler.getstats():
        for called in entry.calls or ():
            pair = (_named(entry.code), _named(called.code))
            calls[pair] = calls.get(pair, 0) + called.callcount
    return calls


def _named(code: CodeType | str) -> str:
    """Return what a function is called in a list: for one of Python's the file, the line and the name."""
    if isinstance(code, str):
        return code
    path = Path(code.co_filename)
    shown = path.relative_to(_CHECKOUT) if path.is_relative_to(_CHECKOUT) else path.name
    return f"{shown}:{code.co_firstlineno} {code.co_name}"


def _lint(job: Job) -> list[FileReport]:
    linter = Linter(job)
    return [linter.noted(target).report for target in job.targets]


def _in_a_deep_thread(work: Callable[[], object]) -> LockType:
    """Start some work as deep as linting may go, without a collector, and return what is released at its end."""
    ended = allocate_lock()
    ended.acquire()

    def run() -> None:
        try:
            work()
        finally:
            ended.release()

    gc.disable()
    sys.setrecursionlimit(_DEPTH)
    threading.stack_size(_STACK)
    threading.Thread(target=run, daemon=True).start()
    return ended
