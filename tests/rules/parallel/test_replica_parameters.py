"""Parameters that replicas are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.replica_parameters import replica_parameters
from torchlint.model import Project

PROGRAM = """
import torch
from torch import nn
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
    def forward(self, x):
        self.where(x)
        return x
    def where(self, x):
        ASK
    def report(self):
        return next(self.parameters()).device
class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
    def forward(self, x): return self.part(x)
def helper(module):
    return next(module.parameters()).dtype
net = WRAPPED
net(torch.ones(4, 2))
"""


def asked(folder: Path, ask: str, wrapped: str = "nn.DataParallel(Whole())") -> list[tuple[str, bool]]:
    path = folder / "main.py"
    path.write_text(PROGRAM.replace("ASK", ask.replace("\n", "\n        ")).replace("WRAPPED", wrapped))
    file = Project(folder).open(path, path.name)
    return [(one.place.text, one.raises) for one in replica_parameters(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("ask", "place"),
    [
        ("next(self.parameters()).device", "next(self.parameters())"),
        ("next(self.body.parameters()).dtype", "next(self.body.parameters())"),
        ("next(iter(self.parameters())).device", "next(iter(self.parameters()))"),
        ("list(self.parameters())[0].dtype", "list(self.parameters())[0]"),
        ("name, one = next(self.named_parameters())", "next(self.named_parameters())"),
        ("x.to(helper(self))", "next(module.parameters())"),
    ],
)
def test_there_is_no_first_one(tmp_path: Path, ask: str, place: str) -> None:
    assert asked(tmp_path, ask) == [(place, True)]


@pytest.mark.parametrize(
    "ask", ["sum(one.norm() for one in self.parameters())", "for one in self.parameters():\n    x = x + one.sum()"]
)
def test_there_is_none_to_go_through(tmp_path: Path, ask: str) -> None:
    assert asked(tmp_path, ask) == [("self.parameters()", False)]


@pytest.mark.parametrize(
    "ask",
    [
        "next(self.buffers())",
        "next(self.parameters(), None)",
        "try:\n    next(self.parameters())\nexcept StopIteration:\n    pass",
        "self.body.weight.device",
        "next(net.parameters()).device",
        "self.modules()",
    ],
)
def test_what_is_there_or_not_needed_is_left_alone(tmp_path: Path, ask: str) -> None:
    assert asked(tmp_path, ask) == []


@pytest.mark.parametrize(
    ("wrapped", "count"),
    [
        ("Whole()", 0),
        ("nn.parallel.DistributedDataParallel(Whole())", 0),
        ("nn.DataParallel(Whole(), device_ids=[0])", 0),
        ("nn.DataParallel(Whole(), device_ids=[0, 1])", 1),
        ("nn.DataParallel(nn.Sequential(Part()))", 1),
    ],
)
def test_only_several_gpus_make_replicas(tmp_path: Path, wrapped: str, count: int) -> None:
    assert len(asked(tmp_path, "next(self.parameters()).device", wrapped)) == count


def test_a_property_is_computed_on_the_replica(tmp_path: Path) -> None:
    ask = "self.device\n    @property\n    def device(self):\n        return next(self.parameters()).device"

    path = tmp_path / "main.py"
    path.write_text(PROGRAM.replace("ASK", ask).replace("WRAPPED", "nn.DataParallel(Whole())"))
    file = Project(tmp_path).open(path, path.name)

    assert [one.place.text for one in replica_parameters(file.evaluator(), file)] == ["next(self.parameters())"]
