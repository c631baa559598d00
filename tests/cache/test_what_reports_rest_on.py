"""A report rests on the same things, whether the model knew the answers from other files or found them itself."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from tests.engine.projects import job_of
from torchlint.engine import Job
from torchlint.engine.linter import Linter

_FIXTURES = Path(__file__).parents[2] / "fixtures"
_PROJECTS = [_FIXTURES / "demo-project", *sorted(_FIXTURES.glob("*/*_project"))]


def rests_on(job: Job, *, backwards: bool = False) -> dict[str, int]:
    linter = Linter(job)
    return {one.report.path: one.rests_on for one in map(linter.noted, job.targets[:: -1 if backwards else 1])}


@pytest.mark.parametrize("project", _PROJECTS, ids=lambda path: path.relative_to(_FIXTURES).as_posix())
def test_who_is_given_a_known_answer_rests_on_all_that_it_took_to_find_it(tmp_path: Path, project: Path) -> None:
    for number, one in enumerate(dict.fromkeys([project, *_PROJECTS[:3]])):
        copytree(one, tmp_path / f"part{number}")
        (tmp_path / f"part{number}" / "again.py").write_text("from train import *\nfrom main import *\n")
    job = job_of(tmp_path)
    alone = {path: mask for target in job.targets for path, mask in [rests_on_alone(job, target.shown)]}

    for together in (rests_on(job), rests_on(job, backwards=True)):
        assert {path: alone[path] & ~mask for path, mask in together.items()} == dict.fromkeys(alone, 0)


def rests_on_alone(job: Job, path: str) -> tuple[str, int]:
    (target,) = (target for target in job.targets if target.shown == path)
    return path, Linter(job).noted(target).rests_on
