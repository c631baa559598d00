"""Count from outside what linting takes: every call of a function, of Python's or of C's, so that no walk can hide."""

from __future__ import annotations

import cProfile
import gc
import multiprocessing
import os
import resource
import shutil
import sys
import threading
import time
from _thread import LockType, allocate_lock
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.growth.family import Files
from torchlint.discovery import discover
from torchlint.engine import Job
from torchlint.engine.linter import Linter
from torchlint.registry import builtin_rules
from torchlint.report import FileReport

MOST_STEPS = 40_000_000
MOST_SECONDS = 60.0
_MOST_BYTES = 4 << 30
# As deep as linting goes otherwise.
_STACK, _DEPTH = 512 << 20, 20_000
_LOOKING = 0.1
_LOOKING_ON = {"<method 'acquire' of '_thread.lock' objects>", "<method 'getstats' of '_lsprof.Profiler' objects>"}


@dataclass(frozen=True, slots=True)
class Counted:
    """What linting a program took; where it did not end, that is how far it came, and `stopped` says why."""

    steps: int
    seconds: float
    megabytes: float
    findings: int = 0
    failed: tuple[str, ...] = ()
    stopped: str = ""


def counted(files: Files, root: Path, most_steps: int = MOST_STEPS, most_seconds: float = MOST_SECONDS) -> Counted:
    """Lint a program with every rule in a process of its own, and count its steps.

    They are the same each time where the folder is, and `PYTHONHASHSEED`: the hashes of paths decide what a set of
    them is gone through in.
    """
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_count, args=(_written(root, files), most_steps, theirs))
    started = time.monotonic()
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(most_seconds) else Counted(0, time.monotonic() - started, 0, stopped=f"> {most_seconds:.0f} s")
    except EOFError:
        return Counted(0, time.monotonic() - started, 0, stopped="died")
    finally:
        process.kill()
        process.join()


def warm_up(files: Files, root: Path) -> None:
    """Lint a program here, so that what happens for the first time is not counted for any other."""
    job = _written(root, files)
    _in_a_deep_thread(lambda: _lint(job)).acquire()
    gc.collect()
    gc.freeze()


def _count(job: Job, most_steps: int, answer: Connection) -> None:
    """Lint a program and answer with what that took; this process ends with the answer."""
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    profiler = cProfile.Profile(subcalls=False)
    reports: list[FileReport] = []
    before = time.process_time()
    ended = _in_a_deep_thread(lambda: reports.extend(profiler.runcall(_lint, job)))
    while not (is_done := ended.acquire(timeout=_LOOKING)) and _steps(profiler) <= most_steps:
        pass
    stopped = "" if is_done else f"> {most_steps} steps"
    seconds, peak = time.process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    failed = tuple(error.message for report in reports for error in report.errors)
    findings = sum(len(report.findings) for report in reports)
    answer.send(Counted(_steps(profiler) if is_done else most_steps, seconds, peak, findings, failed, stopped))
    answer.close()
    os._exit(0)


def _steps(profiler: cProfile.Profile) -> int:
    """Return how many calls there were so far; from Python 3.12 on those of the thread that looks are among them."""
    steps = 0
    for entry in profiler.getstats():
        if entry.code not in _LOOKING_ON and getattr(entry.code, "co_filename", "") != __file__:
            steps += entry.callcount
    return steps


def _written(root: Path, files: Files) -> Job:
    """Write a program in place of the last, and return the job of linting it with every rule there is."""
    shutil.rmtree(root, ignore_errors=True)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    rules = tuple(rule() for rule in builtin_rules().values())
    return Job(root, discover([root], (), root).targets, rules)


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
