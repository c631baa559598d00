"""Which losses have `requires_grad` set manually before `backward()` starts from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "forced-requires-grad"
HEAD = """\
import torch
from torch import nn
net = nn.Linear(2, 1)
x, y = torch.ones(4, 2), torch.ones(4, 1)
"""
FORCE = "loss.requires_grad = True\n"
BACK = "loss.backward()\n"
LOSSES = {
    "that was compared": ("loss = (net(x) > y).float().mean()", True),
    "of the larger index": ("loss = net(x).argmax(1).float().mean()", True),
    "that was detached": ("loss = (net(x) - y).detach().mean()", True),
    "of the numbers": ("loss = torch.tensor((net(x) - y).mean().item())", True),
    "of what nobody knows": ("loss = measure(net(x), y)", True),
    "added up": ("loss = 0\nfor row in x:\n    loss = loss + (net(row) > 0).float().mean()", True),
    "with a graph": ("loss = (net(x) - y).mean()", False),
    "with a graph, if nothing is frozen": ("net.requires_grad_(False)\nloss = (net(x) - y).mean()", True),
    "that stands for none": ("loss = torch.zeros(1)", False),
    "like another": ("loss = torch.zeros_like(y.sum())", False),
    "of a constant": ("loss = torch.tensor(0.0)", False),
    "in another shape": ("loss = torch.eye(2).reshape(4).sum()", False),
    "that may stand for none": ("loss = torch.zeros(1)\nif z:\n    loss = measure(net(x))", False),
}
WAYS = {
    "by the method": ("loss.requires_grad_()\nloss.backward()\n", True),
    "by the method with a flag": ("loss.requires_grad_(True)\nloss.backward()\n", True),
    "and assigned": ("loss = loss.requires_grad_()\nloss.backward()\n", True),
    "at once": ("loss.requires_grad_().backward()\n", True),
    "by a variable": ("loss = torch.autograd.Variable(loss, requires_grad=True)\nloss.backward()\n", True),
    "by a copy": ("loss = torch.tensor(loss, requires_grad=True)\nloss.backward()\n", True),
    "scaled": (FORCE + "scaler.scale(loss).backward()\n", True),
    "by a framework": (FORCE + "accelerator.backward(loss)\n", True),
    "divided before": (FORCE + "loss = loss / 2\nloss.backward()\n", True),
    "and given back": ("def get(loss):\n    loss = loss / 2\n    loss.requires_grad = True\n    return loss\n"
                       "loss = get(loss)\nloss.backward()\n", True),
    "by a step of Lightning": (
        "import lightning\nclass Net(lightning.LightningModule):\n    def training_step(self, batch, i):\n"
        "        loss = measure(batch)\n        loss.requires_grad = True\n        return loss\n", True),
    "switched off": ("loss.requires_grad = False\nloss.backward()\n", False),
    "and not differentiated": (FORCE, False),
    "where another is": (FORCE + "(net(x) * loss).sum().backward()\n", False),
    "where the name is another": (FORCE + "loss = net(x).sum()\nloss.backward()\n", False),
    "with a gradient of its own": (FORCE + "loss.backward(torch.ones(()))\n", False),
    "where it is a gradient": (
        "def go(q, k):\n    loss = q.detach()\n    loss.requires_grad_(True)\n    out = attend(loss, k)\n"
        "    out.backward(loss)\n", False),
    "where it is the gradient of a tensor": (FORCE + "net(x).sum().backward(loss)\n", False),
    "where it is asked": ("if not loss.requires_grad:\n    loss.requires_grad_()\nloss.backward()\n", False),
}  # fmt: skip


@pytest.mark.parametrize(("loss", "is_found"), LOSSES.values(), ids=LOSSES)
def test_a_loss_that_may_have_no_graph_is_told_from_leaves(program: Program, loss: str, is_found: bool) -> None:
    assert len(program(f"{HEAD}{loss}\n{FORCE}{BACK}").findings(RULE)) == is_found


@pytest.mark.parametrize(("way", "is_found"), WAYS.values(), ids=WAYS)
def test_only_what_backward_starts_from_is_forced(program: Program, way: str, is_found: bool) -> None:
    assert len(program(f"{HEAD}loss = (net(x) > y).float().mean()\n{way}").findings(RULE)) == is_found


@pytest.mark.parametrize(("loss", "severity"), [("(net(x) > y).float().mean()", "error"), ("measure(x)", "warning")])
def test_a_loss_that_nobody_knows_may_have_a_graph(program: Program, loss: str, severity: str) -> None:
    (found,) = program(f"{HEAD}loss = {loss}\n{FORCE}{BACK}").findings(RULE)

    assert found.severity.value == severity
