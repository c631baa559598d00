"""The files of one program: of all that lies around it, it imports few."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from torchlint.engine.job import Job, location
from torchlint.engine.roots import project_root


def within_program(jobs: Iterable[Job], program: Path) -> tuple[Job, ...]:
    """Return the jobs for the files that a program runs, or the same if its imports do not tell which."""
    from torchlint.model.call_graph.importing import run_by
    from torchlint.model.project import Project
    from torchlint.model.worlds import ANYWHERE

    files = run_by(Project(project_root(program)).evaluator(ANYWHERE), Path(location(program)))
    return tuple(jobs) if files is None else tuple(_only(job, files) for job in jobs)


def _only(job: Job, files: frozenset[Path]) -> Job:
    run = tuple(one for one in job.targets if Path(location(one.path)) in files)
    return replace(job, targets=run, others=(*job.others, *(one for one in job.targets if one not in run)))
