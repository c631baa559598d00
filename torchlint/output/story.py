"""Cut what a finding tells into scenes, so that it reads in the order in which things happen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torchlint.finding import Finding, Step
from torchlint.output.frame import Mark


@dataclass(frozen=True, slots=True)
class Scene:
    """Places of one file that read from top to bottom: what one frame can show."""

    path: str
    marks: tuple[Mark, ...]


def scenes(finding: Finding) -> tuple[Scene, ...]:
    """Return where the finding is, then what led there.

    It is one scene where the whole trace runs down the finding's own file.
    """
    place = Mark(finding.span, severity=finding.severity)
    runs = list(_runs(finding.trace))
    if len(runs) == 1 and runs[0].path == finding.path:
        return (Scene(finding.path, (place, *runs[0].marks)),)
    return (Scene(finding.path, (place,)), *runs)


def _runs(trace: Sequence[Step]) -> Iterator[Scene]:
    """Yield the steps, as many together as stay in one file and go down it."""
    run: list[Step] = []
    for step in trace:
        if run and not _continues(run[-1], step):
            yield _scene(run)
            run = []
        run.append(step)
    if run:
        yield _scene(run)


def _continues(last: Step, step: Step) -> bool:
    return step.path == last.path and step.span.line >= last.span.line


def _scene(run: Sequence[Step]) -> Scene:
    return Scene(run[0].path, tuple(Mark(step.span, step.words) for step in run))
