"""Real programs are mended as well: `TORCHLINT_SOURCES` names a folder with one folder for each project."""

from __future__ import annotations

import ast
import os
import shutil
import warnings
from pathlib import Path

import pytest

from tests.mend.fixing import mended_in
from torchlint.mend import Mended
from torchlint.registry import builtin_rules
from torchlint.source import read_source

_SOURCES = os.environ.get("TORCHLINT_SOURCES", "")
_PROJECTS = sorted(path for path in Path(_SOURCES).iterdir() if path.is_dir()) if _SOURCES else []

pytestmark = pytest.mark.skipif(not _SOURCES, reason="TORCHLINT_SOURCES names no folder")


@pytest.mark.parametrize("project", _PROJECTS, ids=lambda path: path.name)
def test_a_project_is_mended_once_and_for_all(project: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(project, root, symlinks=True)
    rules = [name for name, rule in builtin_rules().items() if rule.default]

    changes = mended_in(root, rules)
    for change in changes:
        change.path.write_bytes(change.after)
        assert_parsed(change)
        assert_lines_kept(change)

    assert not [again.shown for again in mended_in(root, rules) if again.is_changed]
    refused = [
        f"{one.shown}:{no.finding.span.line} {no.finding.rule} {no.reason}" for one in changes for no in one.refused
    ]
    print(
        f"{project.name}: {sum(len(one.fixed) for one in changes)} fixed, {len(refused)} refused", *refused, sep="\n  "
    )


def assert_parsed(change: Mended) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ast.parse(read_source(change.shown, change.after).text)


def assert_lines_kept(change: Mended) -> None:
    """Assert that far fewer lines changed than fixes have edits: nothing is written anew."""
    edits = [edit for finding in change.fixed if finding.fix for edit in finding.fix.edits]
    most = sum(edit.span.end_line - edit.span.line + 1 for edit in edits)
    before, after = change.before.splitlines(), change.after.splitlines()
    gone = len(before) - sum(1 for line in before if line in set(after))
    assert gone <= most
