"""Split a finding's trace into scenes, in execution order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torchlint.finding import Finding, Step
from torchlint.output.cells import seen
from torchlint.output.frame import Mark


@dataclass(frozen=True, slots=True)
class Scene:
    """Positions in one file from top to bottom: what one frame can show.

    Of a notebook it is one cell that the frame shows, and the marks are in its lines.
    """

    path: str
    marks: tuple[Mark, ...]
    cell: int | None = None


def scenes(finding: Finding) -> tuple[Scene, ...]:
    """Return the position of the finding, then its trace.

    It is one scene if the whole trace goes down the finding's own file.
    """
    place = Mark(seen(finding), severity=finding.severity)
    cell = _cell(finding)
    runs = list(_runs(finding.trace))
    if len(runs) == 1 and (runs[0].path, runs[0].cell) == (finding.path, cell):
        return (Scene(finding.path, (place, *runs[0].marks), cell),)
    return (Scene(finding.path, (place,), cell), *runs)


def _runs(trace: Sequence[Step]) -> Iterator[Scene]:
    """Yield the steps in groups, each of which stays in one file and goes down it."""
    run: list[Step] = []
    for step in trace:
        if run and not _continues(run[-1], step):
            yield _scene(run)
            run = []
        run.append(step)
    if run:
        yield _scene(run)


def _continues(last: Step, step: Step) -> bool:
    return (step.path, _cell(step)) == (last.path, _cell(last)) and step.span.line >= last.span.line


def _scene(run: Sequence[Step]) -> Scene:
    return Scene(run[0].path, tuple(Mark(seen(step), step.words) for step in run), _cell(run[0]))


def _cell(one: Finding | Step) -> int | None:
    return one.cell.cell if one.cell else None
