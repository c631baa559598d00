"""Optimizers that are made above `fully_shard`."""

from __future__ import annotations

import importlib
import operator
from pathlib import Path

import pytest

from rules.parallel.detectors.sharded_later import sharded_later
from torchlint.model import Project
from torchlint.pytorch.sharding import SHARDING

PROGRAM = """import torch
from torch import nn
from torch.distributed.fsdp import fully_shard
def main(late):
    net = nn.Linear(2, 2)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    fully_shard(net)
    for x in torch.randn(3, 4, 2):
        optimizer.zero_grad()
        net(x).sum().backward()
        optimizer.step()
main(False)
"""
MADE, SHARD = "torch.optim.AdamW(net.parameters(), lr=0.1)", "fully_shard(net)"


def found(folder: Path, old: str, new: str) -> list[str]:
    assert old in PROGRAM
    path = folder / "program.py"
    path.write_text(PROGRAM.replace(old, new))
    file = Project(folder).open(path, path.name)
    return [one.optimizer.text for one in sharded_later(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (MADE, MADE),
        (MADE, "torch.optim.AdamW([{'params': net.parameters(), 'lr': 0.1}])"),
        (MADE, "torch.optim.AdamW([p for p in net.parameters() if p.requires_grad])"),
        (MADE, "torch.optim.AdamW(filter(lambda p: p.requires_grad, net.parameters()))"),
        (MADE, "torch.optim.AdamW(params=net.parameters())"),
        (SHARD, "net = fully_shard(net)"),
        ("net = nn.Linear(2, 2)", "net = late"),
        (SHARD, "fully_shard(module=net, reshard_after_forward=False)"),
        (SHARD, "if late:\n        fully_shard(net)"),
    ],
)
def test_an_optimizer_above_the_sharding_is_reported(tmp_path: Path, old: str, new: str) -> None:
    assert found(tmp_path, old, new) == [new if old == MADE else MADE]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SHARD, "pass"),
        (SHARD, "other = nn.Linear(2, 2)\n    fully_shard(other)"),
        (SHARD, f"fully_shard(net)\n    optimizer = {MADE}"),
        (f"optimizer = {MADE}\n    {SHARD}", f"{SHARD}\n    optimizer = {MADE}"),
        (
            f"optimizer = {MADE}\n    {SHARD}",
            f"if late:\n        optimizer = {MADE}\n    else:\n        {SHARD}\n        optimizer = None",
        ),
    ],
)
def test_what_is_in_order_or_unknown_is_not_reported(tmp_path: Path, old: str, new: str) -> None:
    assert found(tmp_path, old, new) == []


def test_the_names_are_those_of_one_function() -> None:
    torch = pytest.importorskip("torch")
    importlib.import_module("torch.distributed.fsdp")
    importlib.import_module("torch.distributed._composable.fsdp")

    assert {operator.attrgetter(name.removeprefix("torch."))(torch) for name in SHARDING} == {
        torch.distributed.fsdp.fully_shard
    }
