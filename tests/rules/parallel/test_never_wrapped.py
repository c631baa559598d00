"""Models that are unwrapped, and that nothing wraps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "maybe-unwrapped-module"
CODE = """\
import torch
from torch import nn
from elsewhere import prepared, Base
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
    def forward(self, x): return self.fc(x)
{before}
{inside}
"""


@pytest.mark.parametrize(
    ("before", "inside"),
    [
        ("model = Net()", "torch.save(model.module.state_dict(), 'a.pt')"),
        ("model = nn.Linear(4, 2)", "model.module.weight.data.zero_()"),
        ("def save(model): torch.save(model.module.state_dict(), 'a.pt')", "save(Net())"),
        ("class Saver:\n    def __init__(self, net): self.net = net\n    def save(self): return self.net.module.fc",
         "Saver(Net()).save()"),
    ],
)  # fmt: skip
def test_a_module_that_nothing_wraps_has_no_module(program: Program, before: str, inside: str) -> None:
    assert len(program(CODE.format(before=before, inside=inside)).reported(RULE)) == 1


@pytest.mark.parametrize(
    ("before", "inside"),
    [
        ("model = nn.DataParallel(Net())", "model.module.fc"),
        ("model = prepared(Net())", "model.module.fc"),
        ("def save(model): torch.save(model.module.state_dict(), 'a.pt')", ""),
        ("def save(model: Net): torch.save(model.module.state_dict(), 'a.pt')", ""),
        ("class Own(Net):\n    module = nn.Linear(4, 2)", "Own().module(torch.ones(4))"),
        ("class Own(Base, nn.Module): pass", "Own().module(torch.ones(4))"),
        ("model = Net()\nmodel.module = nn.Linear(4, 2)", "model.module(torch.ones(4))"),
        ("model = Net()", "if hasattr(model, 'module'): model.module.fc"),
        ("def save(model, is_distributed):\n    if is_distributed: return model.module.fc", "save(Net(), False)"),
    ],
)
def test_a_module_that_may_have_one_is_not_reported(program: Program, before: str, inside: str) -> None:
    assert program(CODE.format(before=before, inside=inside)).reported(RULE) == []
