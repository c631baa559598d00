"""Real programs are fixed as well: `TORCHLINT_SOURCES` names folders with one folder for each project."""

from __future__ import annotations

import ast
import os
import shutil
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.mend.fixing import assert_rest_kept, job_of, mended_in, reports_of
from torchlint.engine import Job
from torchlint.finding import Severity
from torchlint.fixing import FixedFile, fix_all
from torchlint.registry import builtin_rules
from torchlint.report import FileReport
from torchlint.source import read_source

_SOURCES = os.environ.get("TORCHLINT_SOURCES", "")
_FOLDERS = [Path(folder) for folder in _SOURCES.split(os.pathsep) if folder]
_PROJECTS = sorted(path for folder in _FOLDERS for path in folder.iterdir() if path.is_dir())

pytestmark = pytest.mark.skipif(not _SOURCES, reason="TORCHLINT_SOURCES names no folder")


@pytest.mark.parametrize("project", _PROJECTS, ids=lambda path: path.name)
def test_a_project_is_mended_once_and_for_all(project: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(project, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    rules = list(builtin_rules())
    job = job_of(root, rules)
    before = reports_of(job)

    changes = mended(job, before)

    for change in changes:
        assert_parsed(change)
        assert_rest_kept(change)
        change.path.write_bytes(change.after)
    print(f"{project.name}: {told(job, changes)}")
    assert_findings_gone(before, reports_of(job), changes)
    assert not [again.shown for again in mended_in(root, rules) if again.is_changed]


def mended(job: Job, reports: Mapping[str, FileReport]) -> list[FixedFile]:
    contents = {target.path: target.path.read_bytes() for target in job.targets}
    return fix_all(job, contents, reports, lambda _: True)


def told(job: Job, changes: Iterable[FixedFile]) -> str:
    """Return what was done, to be read with `-s`."""
    fixed = Counter(finding.rule for change in changes for finding in change.fixed)
    refused = [
        f"\n  {one.shown}:{no.finding.span.line} {no.finding.rule} {no.reason}" for one in changes for no in one.refused
    ]
    files = sum(change.is_changed for change in changes)
    return f"{len(job.targets)} files, {files} mended, {fixed.total()} fixes {dict(fixed)}{''.join(refused)}"


def assert_parsed(change: FixedFile) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ast.parse(read_source(change.shown, change.after).text)


def assert_findings_gone(
    before: Mapping[str, FileReport], after: Mapping[str, FileReport], changes: Iterable[FixedFile]
) -> None:
    """Assert that what was fixed is not found again, and that nothing worse than a hint has come up anywhere."""
    fixed = {change.shown: Counter(finding.rule for finding in change.fixed) for change in changes}
    for path, report in after.items():
        most = Counter(finding.rule for finding in before[path].findings)
        most.subtract(fixed.get(path, Counter()))
        left = Counter(one.rule for one in report.findings if one.severity is not Severity.INFO)
        assert {rule: number for rule, number in left.items() if number > most[rule]} == {}, path
