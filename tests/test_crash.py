"""All the code that is at hand is linted without one failure of ours."""

from __future__ import annotations

import os
import random
import sysconfig
from pathlib import Path

from tests.engine.projects import Target, every_rule, linted
from torchlint.engine import Job

_WHOLE = "TORCHLINT_WHOLE" in os.environ
_SAMPLE = 400


def code_at_hand() -> list[Path]:
    """Return the files of the standard library and of what is installed."""
    roots = {Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")}
    return sorted({path for root in roots for path in root.rglob("*.py")})


def test_nothing_that_is_installed_makes_a_rule_fail() -> None:
    files = code_at_hand()
    if not _WHOLE:
        files = random.Random(4).sample(files, min(_SAMPLE, len(files)))
    # Each by itself: what is asked here is whether any code at all breaks a rule, and not what whole programs do.
    jobs = [Job(path, (Target(path, path.as_posix()),), every_rule()) for path in files]

    reports = linted(*jobs, workers=2)

    assert [error.message for report in reports for error in report.errors] == []
    assert len(reports) == len(files)
