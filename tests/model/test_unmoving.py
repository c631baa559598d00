"""Modules that are given what is on the host, beside programs that use a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

_PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from elsewhere import prepared

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(14, 14)

    def forward(self, x):
        return self.inner({block})

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.head = nn.Linear(14, 2)

    def forward(self, x):
        return self.head(self.block({net}))

loader = DataLoader(TensorDataset(torch.randn(200, 14), torch.zeros(200).long()), batch_size=25)
model = {model}
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters())
for x, y in loader:
    loss = criterion(model({given}), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    loss.item()
"""
_BESIDE = "import torch\nx = torch.zeros(3).cuda()\n"
_PLAIN = {"block": "x", "net": "x", "model": "Net()", "given": "x"}
MOVING = {
    "the batch": {"given": "x.cuda()"},
    "the module itself": {"net": 'x.to("cuda")'},
    "a module within": {"block": "x.cuda()"},
    "a wrapper": {"model": "nn.DataParallel(Net())"},
    "nobody knows what": {"model": "prepared(Net())"},
}


@pytest.mark.parametrize("given", ["x", "prepared(x)"])
def test_a_program_that_moves_no_module_waits_for_no_gpu(project_of: ProjectOf, given: str) -> None:
    project = project_of({"main.py": _PROGRAM.format(**_PLAIN | {"given": given}), "beside.py": _BESIDE})

    assert project.reported("item-in-training-loop") == []


@pytest.mark.parametrize("moved", MOVING.values(), ids=MOVING)
def test_what_may_be_moved_on_the_way_is_waited_for(project_of: ProjectOf, moved: dict[str, str]) -> None:
    project = project_of({"main.py": _PROGRAM.format(**{**_PLAIN, **moved}), "beside.py": _BESIDE})

    assert project.reported("item-in-training-loop") == ["loss.item()"]
