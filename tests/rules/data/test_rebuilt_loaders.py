"""Loaders that every epoch makes again."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.data.detectors.rebuilt_loaders import rebuilt_loaders
from torchlint.model import Project

PROGRAM = """import random
import torch
from torch.utils.data import DataLoader, Subset
net = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
data = Rows("a")
class Job:
    def __init__(self, data, workers=2):
        self.data, self.workers = data, workers
    def loader(self):
        return DataLoader(self.data, num_workers=self.workers)
def make(data, size):
    return DataLoader(data, batch_size=size, num_workers=3)
def drawn(data):
    return DataLoader(Subset(data, random.sample(range(9), 3)), num_workers=3)
job = Job(data)
for epoch in range(9):
    LOADER
    for x in loader:
        optimizer.zero_grad()
        net(x).sum().backward()
        optimizer.step()
"""


def made(folder: Path, loader: str, head: str = "for epoch in range(9):") -> list[str]:
    path = folder / "program.py"
    text = PROGRAM.replace("for epoch in range(9):", head)
    path.write_text(text.replace("LOADER", loader.replace("\n", "\n    ")))
    file = Project(folder).open(path, path.name)
    return [one.call.text for one in rebuilt_loaders(file.evaluator(), file)]


@pytest.mark.parametrize(
    "loader",
    [
        "loader = DataLoader(data, num_workers=2)",
        "loader = DataLoader(Rows('a'), 8, True, None, None, 4)",
        "rows = Rows('a')\nloader = DataLoader(rows, num_workers=2)",
        "loader = make(data, 4)",
        "stage += 1\nloader = make(data, 4)",
        "size = 4\nloader = make(data, 2 * size)",
        "loader = job.loader()",
    ],
)
def test_every_epoch_makes_a_loader(tmp_path: Path, loader: str) -> None:
    assert len(made(tmp_path, loader)) == 1


@pytest.mark.parametrize("head", ["for number in range(job.epochs):", "for n in tqdm(range(num_epochs)):"])
def test_a_loop_says_that_it_goes_over_epochs(tmp_path: Path, head: str) -> None:
    assert len(made(tmp_path, "loader = make(data, 4)", head)) == 1


@pytest.mark.parametrize(
    "loader",
    [
        "loader = DataLoader(data)",
        "loader = DataLoader(data, num_workers=0)",
        "loader = DataLoader(data, num_workers=args.workers)",
        "loader = DataLoader(data, batch_size=epoch + 1, num_workers=2)",
        "loader = DataLoader(Rows(epoch), num_workers=2)",
        "rows = Rows(epoch)\nloader = DataLoader(rows, num_workers=2)",
        "rows = collect()\nloader = DataLoader(rows, num_workers=2)",
        "data.add(3)\nloader = DataLoader(data, num_workers=2)",
        "job.data = Rows(epoch)\nloader = job.loader()",
        "loader = make(data, 4 + epoch)",
        "loader = make(data, 4 * 2**stage)\nstage += 1",
        "size = 2 * size\nloader = make(data, size)",
        "loader = DataLoader(data, batch_size=size, num_workers=2)\nsize = max(size - 1, 1)",
        "loader = drawn(data)",
        "if epoch % 5 == 0:\n    loader = DataLoader(data, num_workers=2)",
    ],
)
def test_each_epoch_has_another_or_none_has_workers(tmp_path: Path, loader: str) -> None:
    assert made(tmp_path, loader) == []


@pytest.mark.parametrize("head", ["for fold in range(9):", "for seed in (1, 2):"])
def test_other_loops_train_anew(tmp_path: Path, head: str) -> None:
    assert made(tmp_path, "loader = make(data, 4)", head) == []
