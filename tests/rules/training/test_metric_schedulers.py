"""Schedulers that go by a metric, and are stepped without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.metric_schedulers import steps_without_metric
from torchlint.model import Project

HEAD = (
    "import torch\nfrom torch.optim.lr_scheduler import *\n"
    "optimizer = torch.optim.SGD(torch.nn.Linear(2, 2).parameters(), lr=0.1)\n"
    "plateau, decay = ReduceLROnPlateau(optimizer), ExponentialLR(optimizer, 0.9)\n"
)


def steps(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(HEAD + code)
    file = Project(folder).open(path, path.name)
    return [one.text for one in steps_without_metric(file.evaluator(), file)]


def test_a_plateau_wants_a_metric(tmp_path: Path) -> None:
    assert steps(tmp_path, "plateau.step()\n") == ["plateau.step()"]


@pytest.mark.parametrize(
    "code",
    [
        "plateau.step(0.5)\n",
        "plateau.step(metrics=0.5)\n",
        "plateau.step(*losses)\n",
        "decay.step()\n",
        "import random\nscheduler = plateau if random.random() > 0.5 else decay\nscheduler.step()\n",
        "def f(scheduler):\n    scheduler.step()\n",
        "try:\n    plateau.step()\nexcept Exception:\n    pass\n",
        "class Own(ReduceLROnPlateau):\n    def step(self, metrics=None):\n        pass\nOwn(optimizer).step()\n",
    ],
)
def test_other_schedulers_and_what_may_be_one_are_left_alone(tmp_path: Path, code: str) -> None:
    assert steps(tmp_path, code) == []
