"""Truth that Python evaluates without an `if`: in comprehensions, and within its own `any` and `all`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

_TRAINING = """\
import torch
{head}
model = torch.nn.Linear(3, 3).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for x in torch.utils.data.DataLoader([]):
    loss = model(x.cuda()).sum()
    loss.backward()
    optimizer.step()
    {asked}
"""
_RULE = "tensor-branch-in-training-loop"


@pytest.mark.parametrize(
    "asked",
    [
        "any(torch.isnan(p.grad).any() for p in model.parameters())",
        "all([torch.isfinite(p.grad).all() for p in model.parameters()])",
        "any([torch.isnan(loss), torch.isinf(loss)])",
        "max(model.weight.grad[0])",
        "any(torch.isnan(model.weight.grad[0]))",
        "all(model.weight.grad[0] > 0)",
        "bad = [n for n, p in model.named_parameters() if torch.isnan(p.grad).any()]",
        "bad = {n: 1 for n, p in model.named_parameters() if not torch.isfinite(p.grad).all()}",
    ],
)
def test_what_python_asks_of_each_waits(program: Program, asked: str) -> None:
    assert program(_TRAINING.format(head="", asked=asked)).reported(_RULE) == [asked]


@pytest.mark.parametrize(
    ("head", "asked"),
    [
        ("", "all(p.requires_grad for p in model.parameters())"),
        ("", "any(p.grad is not None for p in model.parameters())"),
        ("", "max(len(p) for p in model.parameters())"),
        ("", "kept = [p for n, p in model.named_parameters() if 'bias' in n]"),
        ("from torch import any", "any([torch.isnan(loss)])"),
        ("", "torch.any(torch.isnan(loss))"),
        ("", "sum(model.weight.grad[0])"),
        ("", "max(model.weight.shape)"),
        ("", "max(x[0])"),
        ("", "max([p.grad.sum() for p in model.parameters()])"),
    ],
)
def test_what_asks_no_tensor_does_not(program: Program, head: str, asked: str) -> None:
    assert program(_TRAINING.format(head=head, asked=asked)).reported(_RULE) == []
