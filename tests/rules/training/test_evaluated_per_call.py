"""Evaluation of one batch in each call of a function, which a loop elsewhere repeats."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "evaluation-without-no-grad"
CODE = """\
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from elsewhere import anything
SEEN, LATER = [], anything()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Linear(4, 4)
    def forward(self, x):
        return self.layers(x)
class Metric:
    def __init__(self): self.kept = []
    def update(self, x): self.kept.append(x)
def accuracy(x, y): return (x.argmax(1) == y).float().mean()
def keep(x): SEEN.append(x)
def train(model, optimizer, x, y):
    model.train()
    optimizer.zero_grad()
    loss = cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
def test(model, x, y, criterion, metric):
    model.eval()
    out = model(x)
    loss = criterion(out, y)
    return loss.item(), accuracy(out, y).item()
def main(x, y):
    model, net, metric = Net(), Net(), Metric()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(9):
        train(model, optimizer, x, y)
        print(test(model, x, y, nn.CrossEntropyLoss(), metric))
main(torch.rand(8, 4), torch.zeros(8).long())
"""
CALL = "print(test(model, x, y, nn.CrossEntropyLoss(), metric))"
RETURN = "    return loss.item(), accuracy(out, y).item()"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("model, net", "model, net"),
        ("model.eval()", "model.train(False)"),
        (CALL, f"if epoch % 3 == 0: {CALL}"),
        (CALL, CALL.replace("print(", "for x, y in zip([x], [y]): print(")),
        (RETURN, "    keep(loss.detach())\n    return loss.item()"),
        (RETURN, "    metric.update(out.argmax(1))\n    return loss.item()"),
        (RETURN, "    print(loss)"),
        (RETURN, "    return out.detach().cpu().numpy()"),
    ],
)
def test_a_batch_that_a_call_evaluates_is_recorded_in_vain(program: Program, old: str, new: str) -> None:
    assert CODE.count(old) == 1

    assert program(CODE.replace(old, new)).reported(RULE) == ["out = model(x)"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Something may differentiate the result later, or it may be kept with its graph.
        (RETURN, "    return loss"),
        (RETURN, "    return loss.item(), out"),
        (RETURN, "    keep(loss)\n    return loss.item()"),
        (RETURN, "    metric.update(out)\n    return loss.item()"),
        (RETURN, "    LATER.push(out + 1)\n    return loss.item()"),
        (RETURN, "    metric.last = loss\n    return loss.item()"),
        (RETURN, "    SEEN[0] = loss * 2\n    return loss.item()"),
        (RETURN, "    loss.backward()\n    return x.grad.abs().mean().item()"),
        (RETURN, "    return torch.autograd.grad(loss, model.layers.weight)[0].norm().item()"),
        # Nothing repeats it, or nothing is recorded.
        (f"        {CALL}", f"    {CALL}"),
        (CALL, f"{CALL}\n        break"),
        (CALL, f"with torch.no_grad(): {CALL}"),
        ("def test(", "@torch.inference_mode()\ndef test("),
        ("    out = model(x)", "    with torch.no_grad(): out = model(x)"),
        ("    out = model(x)", "    model.train()\n    out = model(x)"),
        # Whatever calls it is elsewhere.
        (f"        {CALL}\n", "        LATER.run(test)\n"),
        (
            "SGD(model.parameters(), lr=0.1)\n    for epoch in range(9):\n        train(model,",
            "SGD(net.parameters(), lr=0.1); model.requires_grad_(False)\n    for epoch in range(9):\n        train(net,",
        ),
    ],
)
def test_a_graph_that_may_be_used_is_not_reported(program: Program, old: str, new: str) -> None:
    assert CODE.count(old) == 1

    assert program(CODE.replace(old, new)).reported(RULE) == []
