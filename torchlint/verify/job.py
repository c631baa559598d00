"""The job of the process that runs a program."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import Enum


class Machine(Enum):
    """The machine that a program is run on."""

    PLAIN = "plain"
    """This machine, without a GPU."""
    SIMULATED = "simulated"
    """Simulated GPUs."""
    REAL = "real"
    """GPUs of this machine."""


class Watch(Enum):
    """What is observed besides exceptions, warnings and results; one thing at a time, since observing costs time."""

    WAITS = "waits"
    RACES = "races"
    MEMORY = "memory"
    CLOCK = "clock"
    BREAKS = "breaks"


@dataclass(frozen=True, slots=True)
class Job:
    """A program to run. `visible` is the value of CUDA_VISIBLE_DEVICES for real GPUs.

    `call` is a function of the program to call at the end with `argument`; `probes` are lines whose execution is noted;
    `steps` ends the program after so many optimizer steps, `patience` after so many seconds, from inside; `limit` kills
    it. `desk` is the folder of its output, and its working directory if `cwd` is empty; a program that is not `quiet`
    prints on stderr.
    """

    path: str
    folder: str
    machine: Machine = Machine.PLAIN
    gpus: int = 0
    visible: str = ""
    watch: Watch = Watch.WAITS
    limit: float = 60.0
    arguments: tuple[str, ...] = ()
    call: str = ""
    argument: str = ""
    probes: tuple[tuple[str, int], ...] = ()
    steps: int = 0
    patience: float = 0.0
    quiet: bool = True
    cwd: str = ""
    desk: str = ""

    def written(self) -> str:
        """Return the job as one line of text."""
        return json.dumps(asdict(self), default=lambda value: value.value)


def read(text: str) -> Job:
    """Return the job of a line of text."""
    fields = json.loads(text)
    fields["machine"], fields["watch"] = Machine(fields["machine"]), Watch(fields["watch"])
    fields["arguments"] = tuple(fields["arguments"])
    fields["probes"] = tuple((path, line) for path, line in fields["probes"])
    return Job(**fields)
