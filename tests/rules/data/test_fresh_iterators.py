"""First batches of iterators that are made with every step."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.data.detectors.fresh_iterators import fresh_iterators
from torchlint.model import Project

PROGRAM = """import torch
from torch.utils.data import DataLoader
net = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loader = DataLoader(samples, batch_size=2)
for step in range(100):
    x = next(iter(loader))
    optimizer.zero_grad()
    net(x).sum().backward()
    optimizer.step()
"""


def taken(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(code)
    file = Project(folder).open(path, path.name)
    return [one.loader.text for one in fresh_iterators(file.evaluator(), file)]


@pytest.mark.parametrize("taking", ["next(iter(loader))", "next(loader.__iter__())"])
def test_each_step_makes_an_iterator(tmp_path: Path, taking: str) -> None:
    assert taken(tmp_path, PROGRAM.replace("next(iter(loader))", taking)) == ["loader"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    x = next(iter(loader))", "    x = next(batches)"),
        ("    x = next(iter(loader))", "    if step % 10 == 0:\n        x = next(iter(loader))"),
        ("for step in range(100):\n    x = next(iter(loader))", "x = next(iter(loader))\nfor step in range(100):"),
        ("DataLoader(samples, batch_size=2)", "DataLoader(samples, batch_size=len(samples))"),
        ("DataLoader(samples, batch_size=2)", "batches_of(samples)"),
        ("    x = next(iter(loader))", "    loader = DataLoader(samples)\n    x = next(iter(loader))"),
    ],
)
def test_single_batches_and_kept_iterators_are_left_alone(tmp_path: Path, old: str, new: str) -> None:
    assert old in PROGRAM
    assert taken(tmp_path, PROGRAM.replace(old, new)) == []
