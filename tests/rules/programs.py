"""The programs of the fixtures, linted each by itself as the command would."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from torchlint import Finding, Rule
from torchlint.engine import Job, lint
from torchlint.report import FileReport

FIXTURES = Path(__file__).parents[2] / "fixtures"
_MARK = re.compile(r"#\s*error(?::\s*([\w, -]+?))?\s*$")


@dataclass(frozen=True, slots=True)
class Target:
    """A file of a program."""

    path: Path
    shown: str


def programs_of(rule: str) -> list[Path]:
    """Return the programs of a rule: files, and folders of several files."""
    return sorted(path for path in (FIXTURES / rule).iterdir() if not path.name.startswith("__"))


def marked(program: Path, rule: str) -> set[tuple[str, int, str]]:
    """Return what a program says it is wrong in: file, line and rule."""
    found = set()
    for file in _files(program):
        for line, text in enumerate(file.read_text("utf-8").split("\n"), 1):
            if mark := _MARK.search(text):
                names = mark[1].split(",") if mark[1] else [rule]
                found |= {(file.name, line, name.strip()) for name in names}
    return found


def reported(program: Path, rules: Sequence[Rule], scratch: Path) -> list[Finding]:
    """Return what rules say of a program, in a folder where nothing else is."""
    root = scratch / program.name
    if program.is_dir():
        shutil.copytree(program, root)
    else:
        root.mkdir()
        shutil.copy(program, root)
    targets = tuple(Target(path, path.name) for path in sorted(root.rglob("*.py")))
    reports: list[FileReport] = []
    lint([Job(root, targets, tuple(rules))], 1, reports.append)
    assert not [error for report in reports for error in report.errors]
    return [finding for report in reports for finding in report.findings]


def _files(program: Path) -> Iterator[Path]:
    yield from sorted(program.rglob("*.py")) if program.is_dir() else (program,)
