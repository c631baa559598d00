"""Run a user's program, on real or simulated GPUs, up to a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from torchlint.errors import TorchlintError
from torchlint.finding import Finding
from torchlint.verify import merge, server
from torchlint.verify.job import Job, Machine
from torchlint.verify.merge import Line
from torchlint.verify.outcome import Failure, Observation
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


def run_script(
    script: Script, findings: Sequence[Finding], environment: Environment, *, forks: bool | None = None
) -> ScriptRun:
    """Run a program, and compare its waits with the linter's findings.

    Raises `TorchlintError` if it has no outcome.
    """
    spoken = merge.about_waits(findings)
    with server.runner(forks=forks) as programs:
        run = programs.run(replace(script.job(environment), probes=merge.probes(spoken)))
    if isinstance(run, Failure):
        raise TorchlintError(f"{script.path} {run.reason}")
    machine = environment.gpus[0].name if environment.gpus else f"{script.gpus} simulated GPU{'s' * (script.gpus != 1)}"
    return ScriptRun(script, environment.torch, machine, not environment.gpus, run, merge.lines(spoken, run))
