"""The files of one program: of all that lies around it, it imports few."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from torchlint.engine.job import Job, location


def within_program(job: Job, program: Path) -> Job:
    """Return the job for the files that a program runs, or the same if its imports do not tell which."""
    from torchlint.model.call_graph.importing import run_by
    from torchlint.model.project import Project
    from torchlint.model.worlds import ANYWHERE

    names = {Path(path): shown for path, shown in job.names.items()}
    files = run_by(Project(job.root, linted=names).evaluator(ANYWHERE), Path(location(program)))
    if files is None:
        return job
    run = tuple(one for one in job.targets if Path(location(one.path)) in files)
    return replace(job, targets=run, others=(*job.others, *(one for one in job.targets if one not in run)))
