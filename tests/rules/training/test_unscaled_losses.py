"""Means that are accumulated over several batches, and divided by their number nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.unscaled_losses import unscaled_losses
from torchlint.model import Project

PROGRAM = """import torch
import torch.nn.functional as F
from torch import nn
def train(model, batches, n=4):
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(batches):
        loss = criterion(model(x), y)
        loss.backward()
        if (i + 1) % n == 0:
            optimizer.step()
            optimizer.zero_grad()
train(nn.Linear(2, 2), [(torch.ones(2, 2), torch.ones(2, 2))] * 8)
"""


def unscaled(folder: Path, code: str) -> list[tuple[str, str]]:
    path = folder / "program.py"
    path.write_text(code)
    file = Project(folder).open(path, path.name)
    return [(one.backward.text, one.number) for one in unscaled_losses(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("criterion(model(x), y)", "F.mse_loss(model(x), y)"),
        ("criterion(model(x), y)", "F.mse_loss(model(x), y, reduction='mean')"),
        ("criterion(model(x), y)", "(model(x) - y).square().mean()"),
        ("criterion(model(x), y)", "criterion(model(x), y) + 0.1 * model.weight.square().sum()"),
        ("(i + 1) % n == 0", "(i + 1) % n == 0 or i + 1 == len(batches)"),
        ("(i + 1) % n == 0", "not (i + 1) % n"),
        ("lr=0.1", "lr=0.1 / 2"),
        ("    optimizer =", "    steps = len(batches) / n\n    optimizer ="),
    ],
)
def test_a_mean_is_accumulated(tmp_path: Path, old: str, new: str) -> None:
    assert unscaled(tmp_path, PROGRAM.replace(old, new)) == [("loss.backward()", "n")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("criterion(model(x), y)", "criterion(model(x), y) / n"),
        ("criterion(model(x), y)", "criterion(model(x), y)\n        loss /= n"),
        ("criterion(model(x), y)", "criterion(model(x), y)\n        loss = loss / n"),
        ("loss.backward()", "(loss / n).backward()"),
        ("criterion(model(x), y)", "F.mse_loss(model(x), y, reduction='sum')"),
        ("criterion(model(x), y)", "unknown(model(x), y)"),
        ("nn.MSELoss()", "nn.MSELoss(reduction='sum')"),
        ("nn.MSELoss()", "nn.MSELoss(size_average=False)"),
        ("lr=0.1", "lr=0.1 / n"),
        ("optim.SGD(", "optim.Adam("),
        ("torch.optim.SGD(model.parameters(), lr=0.1)", "unknown(model)"),
        ("            optimizer.zero_grad()", "        optimizer.zero_grad()"),
        ("            optimizer.step()", "            model.weight.grad.div_(n)\n            optimizer.step()"),
        (
            "        loss.backward()\n        if (i + 1) % n == 0:\n",
            "        if (i + 1) % n == 0:\n            loss.backward()\n",
        ),
        ("% n == 0", "% 1 == 0"),
        ("if (i + 1) % n == 0:", "if i > 3:"),
    ],
)
def test_what_is_divided_or_no_mean_is_left_alone(tmp_path: Path, old: str, new: str) -> None:
    assert old in PROGRAM
    assert unscaled(tmp_path, PROGRAM.replace(old, new)) == []
