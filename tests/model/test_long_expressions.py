"""Expressions and tests of thousands of parts, as generators of code write them, are linted in steps for each part."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.projects import job_of, written
from torchlint.engine.depth import deeply
from torchlint.engine.linter import Linter
from torchlint.report import FileReport

N = 5_000
HEAD = "import torch\nd = 'cuda'\na = torch.zeros(4).cuda()\n"
LONG = {
    "a sum of names": "x = " + " + ".join(["a"] * N),
    "a sum of calls": "x = " + " + ".join(["torch.zeros(4).cuda()"] * N),
    "a text in parts": "x = torch.zeros(4, device=" + " + ".join(["'cuda'"] * N) + ")",
    "methods of what methods return": "x = a" + ".to(d)" * N,
    "items of items": "x = a" + "[0]" * N,
    "attributes of attributes": "x = a" + ".T" * N,
    "nots": "x = a if " + "not " * N + "torch.cuda.is_available() else None",
    "alternatives": "x = " + " or ".join(["a"] * N),
    "conditional expressions": "x = " + "a if torch.cuda.is_available() else " * N + "a",
    "comparisons": "x = " + " < ".join(["a"] * N),
    "a sum in a lambda": "f = lambda a: " + " + ".join(["a"] * N) + "\nx = f(a)",
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_expression_takes_some_steps_for_each_part(tmp_path: Path, name: str) -> None:
    written(tmp_path, {"a.py": f"{HEAD}{LONG[name]}\nprint(x.sum().item())\n"})
    linter, reports = Linter(job := job_of(tmp_path)), list[FileReport]()

    deeply(lambda: map(linter.lint, job.targets), reports.append)

    assert (reports[0].errors, reports[0].incomplete) == ((), ())
    assert sum(linter.steps.values()) < 100 * N
