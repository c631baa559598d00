"""The outcome of running a program, and its form between processes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TypeAlias

from torchlint.pytorch.waits import Kind
from torchlint.verify.breaklog import Broken
from torchlint.verify.sites import Site
from torchlint.verify.waitlog import Moment, Wait, Waited


@dataclass(frozen=True, slots=True)
class Raised:
    """The exception that ended a program, and the last line of the program in its traceback."""

    kind: str
    message: str
    line: int

    @property
    def words(self) -> str:
        """Return the last line of Python's output, as one line."""
        return f"{self.kind}: {' '.join(self.message.split())}"


@dataclass(frozen=True, slots=True)
class Observation:
    """A run that ended, by itself or by an exception.

    `farewell` is the message that it passed to `sys.exit`. `kept` is in bytes per step, `rates` in steps per second;
    both are empty if they were not observed. `compiles` is how often it called `torch.compile`.
    """

    steps: int
    seconds: float
    raised: Raised | None = None
    exited: bool = False
    timed_out: bool = False
    farewell: str = ""
    waits: tuple[Waited, ...] = ()
    moments: tuple[Moment, ...] = ()
    warned: tuple[tuple[str, str], ...] = ()
    result: str | None = None
    kept: float | None = None
    rates: tuple[float, ...] = ()
    overhead: float = 0.0
    reached: tuple[int, ...] = ()
    loaded: tuple[str, ...] = ()
    compiles: int = 0
    breaks: tuple[Broken, ...] = ()
    output: str = ""

    @property
    def total_waits(self) -> int:
        """Return how often the host waited."""
        return sum(waited.times for waited in self.waits)

    def waits_per_step(self) -> dict[tuple[str, int], float]:
        """Return how often the host waited at each line, per step."""
        lines: dict[tuple[str, int], float] = {}
        for waited in self.waits:
            line = (waited.wait.site.path, waited.wait.site.line)
            lines[line] = lines.get(line, 0.0) + waited.times / max(self.steps, 1)
        return lines

    def in_steps_of(self, steps: int | None) -> Observation:
        """Return the same, with the program's own number of steps, for one without an optimizer."""
        return self if steps is None else replace(self, steps=steps)


@dataclass(frozen=True, slots=True)
class Failure:
    """A run without an outcome: killed, out of time, or ended without output."""

    reason: str
    output: str = ""


Outcome: TypeAlias = "Observation | Failure"


def written(observation: Observation) -> str:
    """Return an observation as one line of text."""
    fields = asdict(observation)
    fields["waits"] = [
        [asdict(one.wait.site), one.wait.kind.value, one.wait.operation, one.times, sorted(one.steps), one.idle]
        for one in observation.waits
    ]
    numbers = {one.wait: number for number, one in enumerate(observation.waits)}
    fields["moments"] = [[one.step, one.work, one.wait and numbers[one.wait]] for one in observation.moments]
    return json.dumps(fields)


def read(text: str) -> Observation:
    """Return the observation of a text; raises `ValueError` if it is none."""
    try:
        fields = json.loads(text)
        raised = fields["raised"]
        fields["raised"] = None if raised is None else Raised(**raised)
        fields["waits"] = tuple(
            Waited(Wait(Site(**site), Kind(kind), operation), times, frozenset(steps), idle)
            for site, kind, operation, times, steps, idle in fields["waits"]
        )
        fields["breaks"] = tuple(Broken(**one) for one in fields["breaks"])
        waits = [one.wait for one in fields["waits"]]
        fields["moments"] = tuple(
            Moment(step, work, None if number is None else waits[number]) for step, work, number in fields["moments"]
        )
        fields["warned"] = tuple((category, message) for category, message in fields["warned"])
        for name in ("rates", "reached", "loaded"):
            fields[name] = tuple(fields[name])
        return Observation(**fields)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no observation: {error}") from error
