"""Replay the programs of the rules, and judge their claims."""

from __future__ import annotations

import importlib.util
import tempfile
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from torchlint.verify.claims import BreaksGraph, MemoryGrows, Races, Runs, Slower, Waits, judge
from torchlint.verify.fixtures import Fixture, Pair
from torchlint.verify.gpus import Gpu
from torchlint.verify.installed import Torch
from torchlint.verify.job import Job, Machine, Watch
from torchlint.verify.outcome import Failure, Observation, Outcome
from torchlint.verify.server import Runner
from torchlint.verify.steps import bytes_allocated

_TIMED_RUNS = 3
_WATCHES: dict[type, Watch] = {Races: Watch.RACES, MemoryGrows: Watch.MEMORY, BreaksGraph: Watch.BREAKS}
# A wait costs no time that the host's clock would show.
_TIMED = {Slower: {Machine.PLAIN, Machine.REAL}, Waits: {Machine.REAL}}


class Verdict(Enum):
    """The verdict on a claim."""

    REFUTED = "refuted"
    """It does not hold."""
    SIMULATED = "simulated"
    """It holds on simulated GPUs."""
    MEASURED = "measured"
    """It holds on real GPUs."""
    PROVED = "proved"
    """It holds, and nothing was simulated: it needs no GPU, or a machine without one."""
    SKIPPED = "skipped"
    """It could not be tried here."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What programs are replayed with: the runner, the GPUs, and the time limit of each."""

    runner: Runner
    torch: Torch
    gpus: tuple[Gpu, ...] = ()
    limit: float = 60.0

    def machine(self, gpus: int) -> Machine:
        """Return the machine for a program that needs so many GPUs."""
        if gpus == 0:
            return Machine.PLAIN
        return Machine.REAL if len(self.gpus) >= gpus else Machine.SIMULATED


@dataclass(frozen=True, slots=True)
class Replay:
    """One claim, its observation, and the verdict."""

    pair: Pair
    verdict: Verdict
    words: str
    wanted: int
    here: int
    bad: Observation | None = None
    good: Observation | None = None

    @property
    def note(self) -> str:
        """Return how many GPUs were simulated."""
        if self.verdict is not Verdict.SIMULATED:
            return ""
        return f"{self.wanted} GPU{'s' * (self.wanted != 1)} wanted, {self.here} here"


def replay(pair: Pair, bench: Bench) -> Replay:
    """Run a bad program and its good twin, and judge the claim."""
    wanted, here = max(_gpus(pair.bad, pair), _gpus(pair.good, pair)), len(bench.gpus)
    claim, reason = pair.bad.head.claim, _why_not(pair, bench)
    if reason or claim is None:
        return Replay(pair, Verdict.SKIPPED, reason, wanted, here)
    bad = _run(pair.bad, pair, bench)
    if isinstance(bad, Failure):
        return Replay(pair, Verdict.REFUTED, f"the bad program {bad.reason}", wanted, here)
    good = _run(pair.good, pair, bench)
    if isinstance(good, Failure):
        return Replay(pair, Verdict.REFUTED, f"the good program {good.reason}", wanted, here, bad)
    if bench.machine(_gpus(pair.bad, pair)) in _TIMED.get(type(claim), ()):
        bad, good = _timed(bad, good, pair, bench)
    judgement = judge(claim, Runs(bad, good, pair.bad.marked()))
    verdict = _verdict(pair, bench) if judgement.holds else Verdict.REFUTED
    return Replay(pair, verdict, judgement.words, wanted, here, bad, good)


def _gpus(program: Fixture, pair: Pair) -> int:
    """Return how many GPUs a program needs; a good one without a header gets as many as its twin."""
    return (pair.bad.head.gpus if program.head.gpus is None else program.head.gpus) or 0


def _why_not(pair: Pair, bench: Bench) -> str:
    """Return why a claim cannot be tried here, or nothing."""
    head = pair.bad.head
    if head.claim is None:
        return f"unproved: {head.unproved}" if head.unproved else "claims nothing"
    if "time" in head.needs and bench.machine(_gpus(pair.bad, pair)) is not Machine.REAL:
        return "needs a real GPU: time is not simulated"
    missing = [name for name in head.needs if name != "time" and importlib.util.find_spec(name) is None]
    if missing:
        return f"needs {', '.join(missing)}, which is not installed"
    if bench.torch.numbers < (oldest := max(head.torch, pair.good.head.torch)):
        return f"needs torch {'.'.join(map(str, oldest))}; this is {bench.torch.version}"
    if isinstance(head.claim, MemoryGrows) and bytes_allocated() is None:
        return "this system does not say how much memory a process has allocated"
    return ""


def _verdict(pair: Pair, bench: Bench) -> Verdict:
    needs = [_gpus(pair.bad, pair), _gpus(pair.good, pair), pair.bad.head.then or 0]
    machines = {bench.machine(gpus) for gpus in needs}
    if Machine.SIMULATED in machines:
        return Verdict.SIMULATED
    return Verdict.MEASURED if Machine.REAL in machines else Verdict.PROVED


def _run(program: Fixture, pair: Pair, bench: Bench) -> Outcome:
    """Run a program, on two machines one after the other if its header says so."""
    head = pair.bad.head
    watch = _WATCHES.get(type(head.claim), Watch.WAITS)
    job = _job(program, bench, _gpus(program, pair), watch)
    if head.then is None:
        outcome = bench.runner.run(job)
    else:
        with tempfile.TemporaryDirectory(prefix="torchlint-") as folder:
            file = str(Path(folder) / "checkpoint.pt")
            outcome = bench.runner.run(replace(job, call="save", argument=file))
            if isinstance(outcome, Observation) and outcome.raised is None:
                second = _job(program, bench, head.then, watch)
                outcome = bench.runner.run(replace(second, call="then", argument=file))
    if isinstance(outcome, Failure):
        return outcome
    return outcome.in_steps_of(program.head.steps or head.steps)


def _job(program: Fixture, bench: Bench, gpus: int, watch: Watch) -> Job:
    machine = bench.machine(gpus)
    visible = ",".join(gpu.visible for gpu in bench.gpus[:gpus]) if machine is Machine.REAL else ""
    path = program.path.resolve()
    return Job(str(path), str(path.parent), machine, gpus, visible, watch, bench.limit)


def _timed(bad: Observation, good: Observation, pair: Pair, bench: Bench) -> tuple[Observation, Observation]:
    """Time both programs, in turn, so that other load on the machine slows down both."""
    rates: tuple[list[float], list[float]] = ([], [])
    for _ in range(_TIMED_RUNS):
        for program, found in zip((pair.bad, pair.good), rates, strict=True):
            outcome = bench.runner.run(_job(program, bench, _gpus(program, pair), Watch.CLOCK))
            found += outcome.rates if isinstance(outcome, Observation) else ()
    return replace(bad, rates=tuple(rates[0])), replace(good, rates=tuple(rates[1]))
