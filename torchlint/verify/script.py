"""Run a user's program, on real or simulated GPUs, up to a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from torchlint.errors import TorchlintError
from torchlint.finding import Finding
from torchlint.verify import merge, server
from torchlint.verify.breaklines import BreakLine, about_breaks, break_lines
from torchlint.verify.job import Job, Machine, Watch
from torchlint.verify.merge import Line
from torchlint.verify.outcome import Failure, Observation, Outcome
from torchlint.verify.report import Environment

# The program is ended from inside first, so that it has an outcome.
_GRACE = 30.0


@dataclass(frozen=True, slots=True)
class Script:
    """A program to run, and for how long: `steps` optimizer steps, 0 for all of them, or `limit` seconds."""

    path: Path
    arguments: tuple[str, ...] = ()
    steps: int = 100
    gpus: int = 1
    limit: float = 600.0

    def job(self, environment: Environment) -> Job:
        """Return the job of running it on the given machine."""
        path = self.path.resolve()
        return Job(
            path=str(path),
            folder=str(path.parent),
            machine=Machine.REAL if environment.gpus else Machine.SIMULATED,
            gpus=self.gpus,
            visible=",".join(gpu.visible for gpu in environment.gpus),
            limit=self.limit + _GRACE,
            patience=self.limit,
            arguments=self.arguments,
            steps=self.steps,
            quiet=False,
            cwd=str(Path.cwd()),
        )


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """A run of a program, and its results for the lines."""

    script: Script
    torch: str
    machine: str
    simulated: bool
    run: Observation
    lines: Sequence[Line]
    breaks: Sequence[BreakLine] = ()
    """What a second run, on the host, shows of a program that compiles."""
    stopped: str = ""
    """What stopped that run."""


def run_script(
    script: Script, findings: Sequence[Finding], environment: Environment, *, forks: bool | None = None
) -> ScriptRun:
    """Run a program, and compare its waits with the linter's findings.

    Raises `TorchlintError` if it has no outcome.
    """
    spoken, breaking = merge.about_waits(findings), about_breaks(findings)
    # Dynamo cannot trace a probe; simulated GPUs keep it from tracing at all.
    probed = spoken if environment.gpus else [*spoken, *breaking]
    with server.runner(forks=forks) as programs:
        run = programs.run(replace(script.job(environment), probes=merge.probes(probed)))
        if isinstance(run, Failure):
            raise TorchlintError(f"{script.path} {run.reason}")
        traced = _traced(script, programs) if run.compiles else run
    machine = environment.gpus[0].name if environment.gpus else f"{script.gpus} simulated GPU{'s' * (script.gpus != 1)}"
    reached = frozenset(number - len(spoken) for number in run.reached if number >= len(spoken))
    breaks = break_lines(breaking, traced.breaks, reached) if isinstance(traced, Observation) else []
    lines = merge.lines(spoken, run)
    return ScriptRun(
        script,
        environment.torch,
        machine,
        not environment.gpus,
        run,
        lines,
        breaks,
        "" if traced is run else _end(traced),
    )


def _traced(script: Script, programs: server.Runner) -> Outcome:
    """Run a program once more, on the host, where Dynamo logs the breaks of its graphs."""
    job = replace(script.job(Environment("", ())), machine=Machine.PLAIN, gpus=0, watch=Watch.BREAKS)
    return programs.run(job)


def _end(outcome: Outcome) -> str:
    """Return what stopped a run before its end, if anything did."""
    if isinstance(outcome, Failure):
        return outcome.reason
    return outcome.raised.words if outcome.raised is not None else ""
