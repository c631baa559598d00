"""The results of a user's program, as text and as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TypedDict

from torchlint.terminal.text import printable
from torchlint.verify.breaklines import BreakLine
from torchlint.verify.merge import Line, Status, code_at
from torchlint.verify.outcome import Observation
from torchlint.verify.report import UNSEEN
from torchlint.verify.script import ScriptRun

_ORDER = (Status.CONFIRMED, Status.MISSED, Status.NO_WAIT, Status.NOT_REACHED, Status.NO_RULE, Status.ONCE_ONLY)
_CODE, _MESSAGE = 60, 200
_NO_SUCH_GPU = "CUDA error: invalid device ordinal"
_MORE_GPUS = "; `--gpus N`, before the script, simulates more"


def text(seen: ScriptRun, *, verbose: bool) -> Iterator[str]:
    """Yield the lines of the report, without control characters from the program."""
    yield from map(printable, _text(seen, verbose=verbose))


def by_status(lines: Iterable[Line]) -> list[Line]:
    """Return lines in the order of the report: first what the linter is right about, and what it missed."""
    return sorted(lines, key=lambda line: _ORDER.index(line.status))


def ending(seen: ScriptRun) -> str:
    """Return what stopped the program, or nothing if it completed."""
    run = seen.run
    if run.raised is not None:
        more = _MORE_GPUS if seen.simulated and _NO_SUCH_GPU in run.raised.words else ""
        return f"stopped in line {run.raised.line} by {run.raised.words}{more}"
    if run.farewell:
        return f"ended by sys.exit: {' '.join(run.farewell.split())}"
    if run.steps and run.steps == seen.script.steps:
        return f"stopped after {run.steps} steps, as asked; what comes later was not reached"
    if run.timed_out:
        return f"stopped after {seen.script.limit:g} s; what comes later was not reached"
    return ""


def per_step(lines: Iterable[Line]) -> float:
    """Return how often a step waits, on average: what happens once is not part of a step."""
    # Two findings may be about one wait.
    counted = (line for line in lines if line.status is not Status.ONCE_ONLY)
    return sum({(line.path, line.span): line.per_step for line in counted}.values())


def _text(seen: ScriptRun, *, verbose: bool) -> Iterator[str]:
    run = seen.run
    waits = f"{run.total_waits} waits for the GPU"
    if run.steps:
        waits += f", {per_step(seen.lines):.2f} per step"
    yield f"{seen.script.path} on {seen.machine}: {run.steps} optimizer steps in {run.seconds:.1f} s, {waits}"
    if told := ending(seen):
        yield told
    for line in by_status(seen.lines):
        yield from _line(line, run, verbose=verbose)
    if seen.simulated:
        yield from _caveats(run)
    if run.compiles:
        yield from _breaks(seen)


def _breaks(seen: ScriptRun) -> Iterator[str]:
    count = sum(one.times > 0 for one in seen.breaks)
    yield (
        "compiled once more on the host, with the backend `eager`: "
        f"Dynamo breaks graphs at {count} line{'s' * (count != 1)}"
    )
    if seen.stopped:
        yield f"stopped by {' '.join(seen.stopped.split())[:_MESSAGE]}"
    for one in seen.breaks:
        place = f"{os.path.relpath(one.path)}:{one.line}"
        why = f"  [{one.rule}]" if one.rule else ""
        yield f"  {one.status.value.upper():11}  {place:24}  {one.reason}{why}"


def how_often(line: Line, run: Observation) -> str:
    """Return how often a line waits, and in how many of the steps if that is not nearly all of them."""
    waits = f"{line.waits} wait{'s' * (line.waits != 1)}"
    if not run.steps:
        return waits
    if line.status is Status.ONCE_ONLY:
        return f"{waits}, in {line.steps} of {run.steps} step{'s' * (run.steps != 1)}"
    return f"{waits}, {line.per_step:.2f} per step"


def _line(line: Line, run: Observation, *, verbose: bool) -> Iterator[str]:
    place = f"{os.path.relpath(line.path)}:{line.span.line}:{line.span.column}"
    told = how_often(line, run) if line.waits else ""
    code = code_at(line)
    shown = code if len(code) <= _CODE else f"{code[: _CODE - 1]}…"
    why = line.rule or ", ".join(line.kinds)
    yield f"  {line.status.value.upper():11}  {place:24}  {told:28}  {shown}{why and f'  [{why}]'}"
    if verbose and line.via:
        yield f"{'':15}in {line.function}(), via {line.via}"


def _caveats(run: Observation) -> Iterator[str]:
    share = run.overhead / run.seconds if run.seconds else 0.0
    yield f"the simulation took at least {share:.0%} of the time; it shows that the host waits, not what that costs"
    yield from UNSEEN


class LineJson(TypedDict):
    """A line of the program."""

    status: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    waits: int
    steps_that_wait: int
    waits_per_step: float
    kinds: list[str]
    function: str
    via: str
    rule: str | None


class BreakJson(TypedDict):
    """A line that breaks graphs, or is said to."""

    status: str
    path: str
    line: int
    times: int
    reason: str
    rule: str | None


class ScriptJson(TypedDict):
    """A run of the program."""

    version: int
    script: str
    machine: str
    simulated: bool
    steps: int
    seconds: float
    overhead_seconds: float
    waits: int
    raised: str | None
    lines: list[LineJson]
    breaks: list[BreakJson]


def as_json(seen: ScriptRun) -> ScriptJson:
    """Return the report as JSON has it."""
    run = seen.run
    return {
        "version": 1,
        "script": str(seen.script.path),
        "machine": seen.machine,
        "simulated": seen.simulated,
        "steps": run.steps,
        "seconds": round(run.seconds, 3),
        "overhead_seconds": round(run.overhead, 3),
        "waits": run.total_waits,
        "raised": None if run.raised is None else run.raised.words,
        "lines": [*map(_line_json, seen.lines)],
        "breaks": [*map(_break_json, seen.breaks)],
    }


def _break_json(one: BreakLine) -> BreakJson:
    return {
        "status": one.status.value,
        "path": os.path.relpath(one.path).replace(os.sep, "/"),
        "line": one.line,
        "times": one.times,
        "reason": one.reason,
        "rule": one.rule or None,
    }


def _line_json(line: Line) -> LineJson:
    return {
        "status": line.status.value,
        "path": os.path.relpath(line.path).replace(os.sep, "/"),
        "line": line.span.line,
        "column": line.span.column,
        "end_line": line.span.end_line,
        "end_column": line.span.end_column,
        "waits": line.waits,
        "steps_that_wait": line.steps,
        "waits_per_step": round(line.per_step, 4),
        "kinds": list(line.kinds),
        "function": line.function,
        "via": line.via,
        "rule": line.rule or None,
    }
