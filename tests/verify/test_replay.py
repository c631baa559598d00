"""Which machine a program is run on, and what that makes of its claim; the programs' runs are given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from torchlint.verify.claims import parse_claim
from torchlint.verify.fixtures import Fixture, Head, Pair
from torchlint.verify.gpus import Gpu
from torchlint.verify.installed import Torch
from torchlint.verify.job import Job, Machine, Watch
from torchlint.verify.outcome import Failure, Observation, Outcome, Raised
from torchlint.verify.replay import Bench, Replay, Verdict, replay
from torchlint.verify.server import OnceEach

GPUS = (Gpu("GPU-a", "NVIDIA H200", "143771 MiB", "570"), Gpu("GPU-b", "NVIDIA H200", "143771 MiB", "570"))
FINE = Observation(steps=50, seconds=1.0)
RAISED = Observation(steps=50, seconds=1.0, raised=Raised("ValueError", "no", 3))


class Runner:
    """Answers with the run for a program's name, and records the jobs."""

    def __init__(self, bad: Outcome = RAISED, good: Outcome = FINE) -> None:
        self.runs = {"bad": bad, "good": good}
        self.jobs: list[Job] = []

    def run(self, job: Job) -> Outcome:
        self.jobs.append(job)
        return self.runs[Path(job.path).stem]


def pair(claim: str, folder: Path, gpus: int | None = None, **head: object) -> Pair:
    for name in ("bad", "good"):
        (folder / f"{name}.py").write_text("x = 1  # error\n")
    said = Head(claim=parse_claim(claim), claimed=claim, gpus=gpus, **head)  # type: ignore[arg-type]  # tests know them
    return Pair(
        Fixture("some-rule", "bad", folder / "bad.py", said), Fixture("some-rule", "good", folder / "good.py", Head())
    )


def replayed(programs: Pair, runner: Runner, gpus: int = 0, torch: str = "2.13.0") -> Replay:
    return replay(programs, Bench(runner, Torch(torch), GPUS[:gpus]))


@pytest.mark.parametrize(
    ("wanted", "here", "machine", "verdict"),
    [
        (None, 2, Machine.PLAIN, Verdict.PROVED),
        (0, 2, Machine.PLAIN, Verdict.PROVED),
        (1, 0, Machine.SIMULATED, Verdict.SIMULATED),
        (1, 2, Machine.REAL, Verdict.MEASURED),
        (4, 2, Machine.SIMULATED, Verdict.SIMULATED),
    ],
)
def test_real_gpus_are_used_where_there_are_enough(
    wanted: int | None, here: int, machine: Machine, verdict: Verdict, tmp_path: Path
) -> None:
    runner = Runner()

    seen = replayed(pair("raises ValueError matching no", tmp_path, wanted), runner, here)

    assert seen.verdict is verdict
    assert {job.machine for job in runner.jobs} == {machine}


def test_what_was_pretended_is_said(tmp_path: Path) -> None:
    assert replayed(pair("raises ValueError matching no", tmp_path, 4), Runner(), 1).note == "4 GPUs wanted, 1 here"
    assert replayed(pair("raises ValueError matching no", tmp_path, 1), Runner(), 1).note == ""


def test_a_program_sees_as_many_gpus_as_it_asks_for(tmp_path: Path) -> None:
    runner = Runner()

    replayed(pair("raises ValueError matching no", tmp_path, 1), runner, 2)
    replayed(pair("raises ValueError matching no", tmp_path, 2), runner, 2)

    assert [job.visible for job in runner.jobs] == ["GPU-a", "GPU-a", "GPU-a,GPU-b", "GPU-a,GPU-b"]


@pytest.mark.parametrize(
    ("gpus", "needs", "verdict"),
    [(1, ("time",), Verdict.MEASURED), (None, (), Verdict.PROVED)],
    ids=["on a GPU", "on the host"],
)
def test_both_programs_are_timed_in_turn(
    gpus: int | None, needs: tuple[str, ...], verdict: Verdict, tmp_path: Path
) -> None:
    runner = Runner(Observation(50, 1.0, rates=(90.0,)), Observation(50, 1.0, rates=(100.0,)))

    seen = replayed(pair("slower", tmp_path, gpus, needs=needs), runner, gpus or 0)

    timed = [Path(job.path).stem for job in runner.jobs if job.watch is Watch.CLOCK]
    assert timed == ["bad", "good", "bad", "good", "bad", "good"]
    assert (seen.verdict, seen.words) == (verdict, "90-90 steps/s; its twin 100-100")


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ({"needs": ("time",)}, "needs a real GPU: time is not simulated"),
        ({"needs": ("no_such_package",)}, "needs no_such_package, which is not installed"),
        ({"torch": (2, 99)}, "needs torch 2.99; this is 2.13.0"),
    ],
)
def test_what_cannot_be_tried_is_skipped_and_says_why(head: dict[str, object], reason: str, tmp_path: Path) -> None:
    runner = Runner()

    seen = replayed(pair("slower", tmp_path, 1, **head), runner)

    assert (seen.verdict, seen.words, runner.jobs) == (Verdict.SKIPPED, reason, [])


def test_no_claim_is_skipped_with_the_reason_that_the_program_gives(tmp_path: Path) -> None:
    programs = pair("slower", tmp_path)
    unproved = Fixture("some-rule", "bad", programs.bad.path, Head(unproved="it takes a cluster"))

    seen = replayed(Pair(unproved, programs.good), Runner())

    assert (seen.verdict, seen.words) == (Verdict.SKIPPED, "unproved: it takes a cluster")


@pytest.mark.parametrize("name", ["bad", "good"])
def test_a_program_of_which_nothing_comes_refutes_the_claim(name: str, tmp_path: Path) -> None:
    runner = Runner()
    runner.runs[name] = Failure("stopped after 60 s")

    seen = replayed(pair("raises ValueError matching no", tmp_path), runner)

    assert (seen.verdict, seen.words) == (Verdict.REFUTED, f"the {name} program stopped after 60 s")


def test_a_checkpoint_goes_from_one_machine_to_another(tmp_path: Path) -> None:
    runner = Runner(bad=FINE)

    replayed(pair("raises ValueError matching no", tmp_path, 1, then=0), runner)

    first, second = runner.jobs[:2]
    assert (first.call, first.machine) == ("save", Machine.SIMULATED)
    assert (second.call, second.machine) == ("then", Machine.PLAIN)
    assert first.argument == second.argument != ""


def test_the_steps_that_a_program_names_count(tmp_path: Path) -> None:
    seen = replayed(pair("raises ValueError matching no", tmp_path, steps=7), Runner())

    assert seen.bad is not None
    assert seen.bad.steps == 7


def test_the_twin_of_several_bad_programs_runs_once_and_is_timed_every_time(tmp_path: Path) -> None:
    runner = Runner()
    programs = pair("raises ValueError matching no", tmp_path)
    bench = Bench(OnceEach(runner), Torch("2.13.0"))

    first, second = replay(programs, bench), replay(programs, bench)

    assert first == second
    assert [Path(job.path).stem for job in runner.jobs] == ["bad", "good"]
    bench.runner.run(replace(runner.jobs[0], watch=Watch.CLOCK))
    bench.runner.run(replace(runner.jobs[0], watch=Watch.CLOCK))
    assert len(runner.jobs) == 4
