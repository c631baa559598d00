"""Sums that are detached in place keep no graph, whatever name they are detached by."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.sync.detectors.kept_graphs import kept_graphs
from torchlint.model import Project

PROGRAM = """
import torch
from torch import nn
class Meter:
    def __init__(self):
        self.total = torch.zeros(())
    def add(self, value):
        self.total += value
net = nn.Linear(1, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader([(torch.zeros(1), torch.zeros(1))])
total = torch.zeros(())
other = torch.zeros(())
view = total
sums = {{"loss": torch.zeros(()), "norm": torch.zeros(())}}
meter = Meter()
for step, (x, y) in enumerate(loader):
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    {adds}
    {clears}
"""
SUM, ITEM, ATTRIBUTE = "total += loss", 'sums["loss"] += loss', "meter.add(loss)"
DETACHED = [
    (SUM, "total.detach_().zero_()"),
    (SUM, "total.detach_()"),
    (SUM, "total = total.detach_()"),
    (SUM, "total = total.detach_().zero_()"),
    (SUM, "torch.detach_(total)"),
    (SUM, "view.detach_().zero_()"),
    (SUM, "if step % 10 == 0: total.detach_().zero_()"),
    ("total.add_(loss)", "with torch.no_grad(): total.detach_().zero_()"),
    (ITEM, 'sums["loss"].detach_().zero_()'),
    (ITEM, 'sums["loss"] = sums["loss"].detach_()'),
    (ITEM, 'sums["loss"] = sums["loss"].detach()'),
    (ITEM, "for one in sums.values(): one.detach_()"),
    (ITEM, "for key in sums: sums[key].detach_().zero_()"),
    (ATTRIBUTE, "meter.total.detach_().zero_()"),
]
KEPT = [
    (SUM, "pass"),
    (SUM, "other.detach_().zero_()"),
    (SUM, "total.detach().zero_()"),
    (SUM, "shown = total.detach()"),
    (SUM, "x.detach_()"),
    (ITEM, 'sums["norm"].detach_().zero_()'),
    (ITEM, 'sums["loss"].detach()'),
    (ATTRIBUTE, "total.detach_()"),
]


def is_kept(tmp_path: Path, adds: str, clears: str) -> bool:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(adds=adds, clears=clears))
    file = Project(tmp_path).open(path, "main.py")
    return any(kept_graphs(file.evaluator(), file))


@pytest.mark.parametrize(("adds", "clears"), DETACHED)
def test_what_each_step_detaches_in_place_keeps_no_graph(tmp_path: Path, adds: str, clears: str) -> None:
    assert not is_kept(tmp_path, adds, clears)


@pytest.mark.parametrize(("adds", "clears"), KEPT)
def test_what_detaches_something_else_or_a_copy_frees_nothing(tmp_path: Path, adds: str, clears: str) -> None:
    assert is_kept(tmp_path, adds, clears)
