"""Run one program, in a process of its own, and observe it."""

from __future__ import annotations

import os
import sys
import time
import traceback
import types
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.verify.breaklog import BreakLog
from torchlint.verify.job import Job, Machine, Watch
from torchlint.verify.outcome import Observation, Raised
from torchlint.verify.reached import Probes
from torchlint.verify.sites import Sites
from torchlint.verify.steps import EnoughError, Steps
from torchlint.verify.waitlog import WaitLog

if TYPE_CHECKING:
    from torchlint.verify.sim import Simulation

_WARNINGS, _MESSAGE = 100, 4000
ROOT = Path(__file__).resolve().parents[2]
"""Where torchlint is imported from; last on the path, for late imports."""


def run(job: Job) -> Observation:
    """Run a program to its end."""
    os.environ["CUDA_VISIBLE_DEVICES"] = job.visible
    if job.machine is Machine.SIMULATED:
        del os.environ["CUDA_VISIBLE_DEVICES"]
    steps, probes = Steps(job), Probes(job.probes)
    sites = Sites(Path(job.folder))
    log, breaks = WaitLog(sites, lambda: steps.count), BreakLog(sites)
    with ExitStack() as stack:
        warned = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        stack.enter_context(probes.installed())
        simulation = stack.enter_context(_machine(job, log))
        stack.enter_context(steps)
        stack.enter_context(breaks.watching(eagerly=job.watch is Watch.BREAKS))
        started = time.perf_counter()
        ending = _ending(job, probes)
        seconds = time.perf_counter() - started
        rates = steps.rates
    return Observation(
        steps=steps.count,
        seconds=seconds,
        raised=ending.raised,
        exited=ending.exited,
        timed_out=steps.are_timed_out,
        farewell=ending.farewell,
        waits=log.waited(),
        moments=log.moments(),
        warned=tuple((entry.category.__name__, str(entry.message)) for entry in (warned or ())[:_WARNINGS]),
        result=ending.result,
        kept=steps.kept,
        rates=rates,
        overhead=0.0 if simulation is None else simulation.seconds,
        reached=tuple(sorted(probes.reached)),
        loaded=tuple(sorted(probes.loaded)),
        compiles=breaks.compiles,
        breaks=breaks.broken(),
    )


def _machine(job: Job, log: WaitLog) -> AbstractContextManager[Simulation | None]:
    races = job.watch is Watch.RACES
    if job.machine is Machine.SIMULATED:
        from torchlint.verify.private import simulator

        pretend: Callable[..., AbstractContextManager[Simulation]] = simulator().simulated_cuda
        # A program of a user's may wrap its model for the group, which gloo would communicate for on the CPU.
        return pretend(job.gpus, races=races, log=log, nccl=not job.probes)
    if job.machine is Machine.REAL and (races or job.watch is Watch.WAITS):
        from torchlint.verify.probe import watched_gpu

        return watched_gpu(log, races=races)
    return nullcontext()


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a program ended."""

    raised: Raised | None = None
    exited: bool = False
    farewell: str = ""
    result: str | None = None


def _ending(job: Job, probes: Probes) -> _Ending:
    """Run a program and return how it ended."""
    try:
        names = _execute(job, probes)
    except EnoughError:
        return _Ending()
    except SystemExit as error:
        return _Ending(exited=True, farewell=str(error.code or "")[:_MESSAGE])
    except BaseException as error:  # noqa: BLE001 - whatever ends the program is what we are here for
        return _Ending(_raised(error, job))
    return _Ending(result=repr(names["RESULT"]) if "RESULT" in names else None)


def _execute(job: Job, probes: Probes) -> dict[str, object]:
    """Run a program as Python runs a script, and return its names."""
    program = types.ModuleType("__main__")
    program.__file__ = job.path
    sys.modules["__main__"] = program
    sys.argv = [job.path, *job.arguments]
    others = [folder for folder in sys.path if folder not in {"", str(ROOT)}]
    sys.path[:] = [str(Path(job.path).parent), *others, str(ROOT)]
    names = vars(program)
    exec(probes.compile(Path(job.path).read_bytes(), job.path), names)  # noqa: S102 - it is what was asked for
    function = names.get(job.call)
    if callable(function):
        function(job.argument)
    return names


def _raised(error: BaseException, job: Job) -> Raised:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(job.folder)]
    line = frames[-1].lineno if frames else error.lineno if isinstance(error, SyntaxError) else None
    return Raised(type(error).__name__, str(error)[:_MESSAGE], line or 0)
