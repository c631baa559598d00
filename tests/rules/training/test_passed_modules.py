"""Modules that an evaluation passes to a function, which calls them."""

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
def run(net, batch):
    return net(batch)
def guarded(net, batch):
    with torch.no_grad():
        return net(batch)
def compute_loss(net, batch):
    return {body}
class Loss(nn.Module):
    def forward(self, batch, net):
        return net(batch).mean()
def validate(model, loader, criterion):
    model.eval()
    total = 0
    for x in loader:
        loss = {loss}
        total += loss.item()
    return total
def main():
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout())
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(torch.ones(9, 3))
    for _ in range(3):
        model.train()
        for x in loader:
            opt.zero_grad()
            model(x).mean().backward()
            opt.step()
        print(validate(model, loader, Loss()))
main()
"""
CALLED = "net(batch).mean()"
CASES = {
    "to a function": (CALLED, "compute_loss(model, x)", True),
    "by its name": (CALLED, "compute_loss(batch=x, net=model)", True),
    "to a loss": (CALLED, "criterion(x, model)", True),
    "that passes it on": ("run(net, batch).mean()", "compute_loss(model, x)", True),
    "that passes it on under no_grad": ("guarded(net, batch).mean()", "compute_loss(model, x)", False),
    "under no_grad": ("guarded(net, batch)", "compute_loss(model, x).mean()", False),
    "that does not call it": ("batch.mean() + len(list(net.parameters()))", "compute_loss(model, x)", False),
    "to what nobody knows": (CALLED, "unknown(model, x)", False),
    "another one": (CALLED, "compute_loss(other, x)", False),
}


@pytest.mark.parametrize(("body", "loss", "is_found"), CASES.values(), ids=CASES)
def test_a_module_is_evaluated_by_what_it_is_passed_to(program: Program, body: str, loss: str, is_found: bool) -> None:
    files = program(CODE.format(body=body, loss=loss))

    assert files.reported(RULE) == [f"loss = {loss}"] * is_found
