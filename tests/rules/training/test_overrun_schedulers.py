"""Schedulers that are stepped more often than they are made for."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.overrun_schedulers import overrun_schedulers
from torchlint.model import Project

PROGRAM = """import torch
from torch import nn
from torch.utils.data import DataLoader
def main(net, data, epochs):
    loader = DataLoader(data, batch_size=4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, epochs=10, steps_per_epoch=len(loader) // 2)
    for epoch in range(10):
        for x in loader:
            optimizer.step()
            scheduler.step()
main(nn.Linear(2, 2), unknown, 10)
"""
_TOLD = "epochs=10, steps_per_epoch=len(loader) // 2"
_STEP = "            scheduler.step()\n"


def overrun(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(code)
    file = Project(folder).open(path, path.name)
    return [one.step.text for one in overrun_schedulers(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        (_TOLD, "total_steps=9 * len(loader)"),
        (_TOLD, "total_steps=len(loader)"),
        (_TOLD, "epochs=epochs - 1, steps_per_epoch=len(loader)"),
        (_TOLD, "total_steps=int(10 * len(loader) / 2)"),
        ("for x in loader", "for i, x in enumerate(loader)"),
        ("range(10)", "range(epochs)"),
        (_TOLD, "epochs=9, steps_per_epoch=len(loader)"),
        ("data, batch_size=4", "torch.zeros(10, 2), batch_size=4, drop_last=False"),
    ],
)
def test_more_steps_are_made_than_told(tmp_path: Path, old: str, new: str) -> None:
    assert overrun(tmp_path, PROGRAM.replace(old, new) if old else PROGRAM) == ["scheduler.step()"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_TOLD, "epochs=10, steps_per_epoch=len(loader)"),
        (_TOLD, "total_steps=10 * len(loader)"),
        (_TOLD, "total_steps=unknown"),
        (_TOLD, "total_steps=100"),
        (_TOLD, "epochs=10, steps_per_epoch=len(other) // 2"),
        (_TOLD, "**options"),
        (_STEP, "            if epoch % 2:\n                scheduler.step()\n"),
        (_STEP, "            if epoch > 3:\n                break\n            scheduler.step()\n"),
        (
            _STEP,
            "            try:\n                scheduler.step()\n            except ValueError:\n                pass\n",
        ),
        (_STEP, "        scheduler.step()\n"),
        ("    for epoch in range(10)", "    while unknown"),
        ("OneCycleLR(optimizer, 0.1, ", "StepLR(optimizer, 1) or dict("),
        ("main(nn", "main(nn.Linear(2, 3), unknown, 10)\nmain(nn"),
    ],
)
def test_what_may_fit_is_left_alone(tmp_path: Path, old: str, new: str) -> None:
    assert old in PROGRAM
    assert overrun(tmp_path, PROGRAM.replace(old, new)) == []
