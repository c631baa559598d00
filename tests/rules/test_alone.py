"""A file has the findings alone that it has among all others: a hook for pre-commit lints what was changed.

`TORCHLINT_SOURCES` names folders with one folder for each real project, beside those of the fixtures.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from torchlint.engine.depth import deeply
from torchlint.model import Project
from torchlint.registry import builtin_rules
from torchlint.source import UnreadableSourceError

_FIXTURES = Path(__file__).parents[2] / "fixtures"
_SOURCES = [Path(folder) for folder in os.environ.get("TORCHLINT_SOURCES", "").split(os.pathsep) if folder]
_REAL = (path for folder in _SOURCES for path in folder.iterdir() if path.is_dir())
_PROJECTS = sorted({*(path for path in _FIXTURES.glob("*/*") if path.is_dir()), *_REAL})


def reported(project: Project, path: Path) -> set[tuple[str, int, str]]:
    """Return the findings that all default rules have in one file: rule, line and message."""
    rules = [rule() for rule in builtin_rules().values() if rule.default]
    found: set[tuple[str, int, str]] = set()
    try:
        file = project.open(path, path.name)
    except UnreadableSourceError:
        return found
    deeply(
        lambda: (one for rule in rules for one in rule.check(file)),
        lambda f: found.add((f.rule, f.span.line, f.message)),
    )
    project.discard_provisional()
    return found


@cache
def together(root: Path) -> dict[Path, set[tuple[str, int, str]]]:
    """Return the findings of every file of a project, linted one after the other."""
    project = Project(root)
    return {path: reported(project, path) for path in sorted(root.rglob("*.py"))}


@pytest.mark.parametrize("root", _PROJECTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_alone_has_the_findings_that_it_has_among_others(root: Path) -> None:
    among_others = together(root)

    assert {path: reported(Project(root), path) for path in among_others} == among_others


@pytest.mark.parametrize("root", _PROJECTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_order_of_files_does_not_show(root: Path) -> None:
    forward, project = together(root), Project(root)

    backward = {path: reported(project, path) for path in reversed(forward)}

    assert backward == forward
