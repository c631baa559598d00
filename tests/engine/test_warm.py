"""A linter that stays: what depends on an edit is found again, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.projects import Target, every_rule, job_of
from torchlint.engine import Job, WarmLinter
from torchlint.engine.edited_linter import EditedLinter
from torchlint.finding import Confidence, Finding, Severity
from torchlint.model import SourceFile
from torchlint.rule import Rule
from torchlint.steps import StoppedError

_FILES = {
    "train.py": """\
import torch
from helpers import made
from meter import Meter
model = torch.nn.Linear(2, 2).cuda()
meter = Meter()
for x in torch.utils.data.DataLoader([]):
    loss = model(made(x)).sum()
    loss.backward()
    meter.update(loss)
    print(meter.total)
""",
    "meter.py": """\
class Meter:
    def __init__(self):
        self.total = 0
    def update(self, value):
        self.total = value.item()
""",
    "helpers.py": "import torch\ndef made(x):\n    return x.cuda()\n",
    "idle.py": "def idle():\n    return 1\n",
    "alone.py": "import torch\ndef shown():\n    print(torch.ones(3, device='cuda'))\n",
}


class StopsOnce(Rule):
    """Stop the linter that runs it, the first time."""

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("torch",)
    linter: WarmLinter | None = None

    def check(self, file: SourceFile) -> Iterator[Finding]:
        if self.linter is not None:
            linter, self.linter = self.linter, None
            linter.stop()
        for place in file.calls("torch.nn.Linear"):
            yield self.finding(place, "is a layer: leave it out")


@pytest.fixture
def job(tmp_path: Path) -> Job:
    for name, text in _FILES.items():
        (tmp_path / name).write_text(text)
    return job_of(tmp_path)


def target_of(job: Job, name: str) -> Target:
    return Target(job.root / name, name)


def typed(name: str, line: str) -> bytes:
    return f"{_FILES[name]}{line}\n".encode()


@pytest.mark.parametrize(
    ("edited", "anew"), [("alone.py", ["alone.py"]), ("helpers.py", ["train.py", "alone.py"]), ("idle.py", [])]
)
def test_a_report_is_kept_as_long_as_it_depends_on_no_edit(job: Job, edited: str, anew: list[str]) -> None:
    linter = WarmLinter(job, {})
    before = {name: linter.lint(target_of(job, name)) for name in ("train.py", "alone.py")}

    assert linter.edit(job.root / edited, typed(edited, "    zz = 1"))

    assert [name for name in before if linter.lint(target_of(job, name)) is not before[name]] == anew


@pytest.mark.parametrize("name", ["train.py", "meter.py", "helpers.py"])
def test_answers_that_depend_on_nothing_in_an_edit_are_used_again(job: Job, name: str) -> None:
    linter = EditedLinter(job, {})
    target = target_of(job, "alone.py")
    linter.lint(target_of(job, "train.py"))
    linter.lint(target)
    first = sum(linter.steps.values())

    assert linter.edit(job.root / "alone.py", typed("alone.py", "zz = 1"))

    linter.lint(target)
    assert sum(linter.steps.values()) <= first


@pytest.mark.parametrize(
    ("name", "line", "found"),
    [
        ("meter.py", "        return value.cpu()", 1),
        ("helpers.py", "class Half(torch.nn.Module): pass", 1),
        ("train.py", "torch.save(model, 'x.pt')", 2),
        ("alone.py", "loss.backward()", 1),
    ],
)
def test_a_report_after_an_edit_is_that_of_a_linter_without_a_past(job: Job, name: str, line: str, found: int) -> None:
    linter, data = WarmLinter(job, {}), typed(name, line)
    for target in job.targets:
        linter.lint(target)

    assert linter.edit(job.root / name, data)

    anew = WarmLinter(job, {job.root / name: data})
    reports = [linter.lint(target) for target in job.targets]
    assert reports == [anew.lint(target) for target in job.targets]
    assert sum(len(one.findings) for one in reports) >= found


def test_a_file_that_adds_to_the_search_path_is_left_to_another_linter(job: Job) -> None:
    linter = WarmLinter(job, {})
    linter.lint(target_of(job, "train.py"))

    assert not linter.edit(job.root / "helpers.py", typed("helpers.py", "import sys; sys.path.append('lib')"))
    assert not linter.edit(job.root / "new.py", b"x = 1\n")


def test_what_was_stopped_is_linted_as_if_it_had_not_been(job: Job) -> None:
    rule = StopsOnce()
    job = replace(job, rules=(*every_rule(), rule))
    linter, target = WarmLinter(job, {}), target_of(job, "train.py")
    rule.linter = linter

    with pytest.raises(StoppedError):
        linter.lint(target)

    assert linter.lint(target) == WarmLinter(job, {}).lint(target)
