"""Modules that hold a tensor with a graph, and are copied."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.copied_graphs import copied_graphs
from torchlint.model import Project

HEAD = """
import copy
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel
x = torch.ones(2, 4)
"""
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.scale = nn.Parameter(torch.ones(2))
        {made}
    def forward(self, x):
        y = self.fc(x)
        {run}
        return y
    {more}
model = Net()
"""
RUN = "model(x).sum().backward()\n"


def net(made: str = "pass", run: str = "pass", more: str = "") -> str:
    return NET.format(made=made, run=run, more=more)


def found_in(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    file = Project(tmp_path).open(path, "main.py")
    return [one.kept.code for one in copied_graphs(file.evaluator(), file)]


@pytest.mark.parametrize(
    "text",
    [
        net(made="self.double = self.scale * 2") + "copy.deepcopy(model)",
        net(made="self.double = torch.exp(self.scale)") + "AveragedModel(model)",
        net(made="self.double = [self.scale * 2]") + "copy.deepcopy(model)",
        net(made="self.double = self.scale * 2")
        + "class Outer(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.net = Net()\n"
        "copy.deepcopy(Outer())",
        net(run="self.last = y") + RUN + "copy.deepcopy(model)",
        net(run="self.last = y.relu()") + RUN + "copy.deepcopy(model)",
        net(run="self.last = (y, x)").replace("(y, x)", "[y, y]") + RUN + "copy.deepcopy(model)",
        net(run="self.last = y") + "for _ in range(2):\n    model(x)\n    if flag:\n        copy.deepcopy(model)",
        net(made="self.last = None", run="self.last = y") + RUN + "copy.deepcopy(model)",
    ],
)
def test_a_copy_of_what_holds_a_graph_is_found(tmp_path: Path, text: str) -> None:
    assert len(found_in(tmp_path, text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        net() + RUN + "copy.deepcopy(model)",
        net(made="self.double = self.scale") + "copy.deepcopy(model)",
        net(made="self.double = nn.Parameter(torch.ones(2))") + "copy.deepcopy(model)",
        net(made="self.double = torch.ones(2, requires_grad=True)") + "copy.deepcopy(model)",
        net(made="self.double = (self.scale * 2).detach()") + "copy.deepcopy(model)",
        net(made="self.double = self.scale * 2\n        self.double = None") + "copy.deepcopy(model)",
        net(made="self.double = self.scale * 2", more="def __deepcopy__(self, memo):\n        return Net()")
        + "copy.deepcopy(model)",
        net(run="self.last = y") + "copy.deepcopy(model)",
        net(run="self.last = y.detach()") + RUN + "copy.deepcopy(model)",
        net(run="if self.training:\n            self.last = y") + RUN + "copy.deepcopy(model)",
        net(run="self.last = y", more="def reset(self):\n        self.last = None") + RUN + "copy.deepcopy(model)",
        net(run="self.last = y") + RUN + "with torch.no_grad():\n    model(x)\ncopy.deepcopy(model)",
        net(run="self.last = y") + RUN + "evaluate(model)\ncopy.deepcopy(model)",
        net(run="self.last = y") + RUN + "copy.deepcopy(model.state_dict())",
        net(run="self.last = y") + RUN + "model.last = None\ncopy.deepcopy(model)",
        net(run="self.last = y") + RUN + "copy.copy(model)",
        net(run="self.last = y") + RUN + "try:\n    copy.deepcopy(model)\nexcept RuntimeError:\n    pass",
        net(run="self.last = y") + RUN + "model = Net()\ncopy.deepcopy(model)",
        net(run="self.last = y") + "if flag:\n    model(x)\nelse:\n    copy.deepcopy(model)",
    ],
)
def test_a_copy_of_what_may_hold_none_is_not(tmp_path: Path, text: str) -> None:
    assert not found_in(tmp_path, text)
