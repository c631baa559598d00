"""Loaders that give every rank all of the data."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.unsharded import unsharded_loaders
from torchlint.model import Project

PROGRAM = """
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Subset
def main(dataset, rank, args):
    {dataset}
    loader = DataLoader({loader})
    model = {model}
    for x in loader:
        loss = model(x).sum()
        loss.backward()
"""


def loaders_in(tmp_path: Path, loader: str, model: str = "DDP(nn.Linear(1, 1))", dataset: str = "pass") -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(loader=loader, model=model, dataset=dataset))
    return [one.loader.text for one in Project(tmp_path).open(path, "main.py").share_of(unsharded_loaders)]


def test_a_loader_that_only_shuffles_is_read_whole_by_every_rank(tmp_path: Path) -> None:
    assert loaders_in(tmp_path, "dataset, shuffle=True") == ["DataLoader(dataset, shuffle=True)"]


@pytest.mark.parametrize(
    "loader", ["dataset, sampler=s", "dataset, shuffle=False", "dataset", "dataset, shuffle=args.s"]
)
def test_samplers_and_order_are_left_alone(tmp_path: Path, loader: str) -> None:
    assert loaders_in(tmp_path, loader) == []


def test_a_dataset_that_is_divided_by_rank_is_left_alone(tmp_path: Path) -> None:
    assert loaders_in(tmp_path, "dataset, shuffle=True", dataset="dataset = Subset(dataset, parts[rank])") == []


def test_a_model_that_may_be_alone_is_left_alone(tmp_path: Path) -> None:
    assert loaders_in(tmp_path, "dataset, shuffle=True", model="nn.Linear(1, 1)") == []
