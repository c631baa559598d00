"""Tests that ask for no GPU run on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
CODE = """
import torch
from torch import nn
from net import Net
{before}
{indent}def {name}({given}):
{indent}    model = Net(){moved}
{indent}    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{indent}    for _ in range(3):
{indent}        optimizer.zero_grad()
{indent}        loss = model(torch.ones(2)).sum()
{indent}        loss.backward()
{indent}        optimizer.step()
{indent}        assert loss.item() >= 0
"""
NET = "import torch\nfrom torch import nn\nclass Net(nn.Module): ...\ntorch.zeros(1).cuda()\n"
PLAIN = {"before": "", "indent": "", "name": "test_step", "given": "", "moved": ""}
METHOD = {"before": "class TestStep:", "indent": "    ", "given": "self"}
PREPARED = {"before": "class TestStep:\n    def setup_method(self):\n        torch.set_default_device('cuda')"}
HOST = {
    "that says nothing": {},
    "that says the CPU": {"moved": ".to(device='cpu')"},
    "a method": METHOD,
}
GIVEN = {
    "a module": {"given": "net=None", "moved": " if net is None else net"},
    "a module to a method": METHOD | {"given": "self, net=None", "moved": " if net is None else net"},
}
ASKING = {
    "for a GPU": {"moved": ".cuda()"},
    "for a device": {"given": "device", "moved": ".to(device)"},
    "before it starts": METHOD | PREPARED,
}


def found(project_of: ProjectOf, path: str, changed: dict[str, str]) -> int:
    files = {"net.py": NET, path: CODE.format(**(PLAIN | changed))}
    return len(project_of(files).findings("item-in-training-loop", path))


@pytest.mark.parametrize("changed", HOST.values(), ids=HOST)
def test_a_test_that_asks_for_no_gpu_waits_for_none(project_of: ProjectOf, changed: dict[str, str]) -> None:
    assert found(project_of, "test_step.py", changed) == 0


@pytest.mark.parametrize("changed", ASKING.values(), ids=ASKING)
def test_a_test_that_asks_for_one_waits(project_of: ProjectOf, changed: dict[str, str]) -> None:
    assert found(project_of, "test_step.py", changed) == 1


def test_what_makes_a_module_and_leaves_it_waits_for_no_gpu_either(project_of: ProjectOf) -> None:
    assert found(project_of, "step.py", {}) == 0


@pytest.mark.parametrize("changed", GIVEN.values(), ids=GIVEN)
def test_what_is_no_test_may_be_used_on_any_device(project_of: ProjectOf, changed: dict[str, str]) -> None:
    assert found(project_of, "step.py", changed) == 1
