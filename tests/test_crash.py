"""All the code that is at hand is linted without one failure of ours."""

from __future__ import annotations

import os
import random
import sysconfig
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.engine.projects import Target, every_rule, linted
from torchlint.engine import Job

_WHOLE = "TORCHLINT_WHOLE" in os.environ
_SAMPLE = 400


def code_at_hand() -> Iterator[tuple[Path, Path]]:
    """Yield the files of the standard library and of what is installed, each with its package, or itself."""
    roots = {Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")}
    for root in sorted(roots):
        for entry in sorted(root.iterdir()):
            if entry.name in {"site-packages", "dist-packages"}:
                continue
            if entry.is_dir():
                yield from ((path, entry) for path in sorted(entry.rglob("*.py")))
            elif entry.suffix == ".py":
                yield entry, entry


def test_nothing_that_is_installed_makes_a_rule_fail() -> None:
    files = list(code_at_hand())
    if not _WHOLE:
        files = random.Random(4).sample(files, min(_SAMPLE, len(files)))
    projects: dict[Path, list[Target]] = defaultdict(list)
    for path, root in files:
        projects[root].append(Target(path, path.as_posix()))
    jobs = [Job(root, tuple(targets), every_rule()) for root, targets in projects.items()]

    reports = linted(*jobs, workers=2)

    assert [error.message for report in reports for error in report.errors] == []
    assert len(reports) == len(files)
