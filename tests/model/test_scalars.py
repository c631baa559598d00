"""What old programs take out of a loss, `loss.data[0]`: a number once, and nothing that a tensor has now."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

PRINTED = """\
import torch
from torch import nn
from torch.nn import functional as F
model = nn.Linear(4, 4).cuda()
criterion = nn.CrossEntropyLoss()
each = nn.CrossEntropyLoss(reduction="none")
optimizer = torch.optim.SGD(model.parameters(), 0.1)
total = 0.0
for x, y in torch.utils.data.DataLoader(torch.ones(64, 4)):
    out = model(x.cuda())
    loss = weigh(criterion, out, y.cuda())
    loss.backward()
    optimizer.step()
    total += {taken}
    print("%.3f" % (total / 10))
"""


@pytest.mark.parametrize(
    "taken",
    [
        "loss.data[0]",
        "criterion(out, y.cuda()).data[0]",
        "F.cross_entropy(out, y.cuda(), size_average=False).data[0]",
        "out.abs().mean().data[0]",
        "(criterion(out, y.cuda()) + torch.abs(-out.mean())).data[0]",
        "torch.sum(out).exp().data[0]",
    ],
)
def test_the_number_in_a_scalar_is_no_tensor(program: Program, taken: str) -> None:
    assert program(PRINTED.format(taken=taken)).reported("tensor-print-in-training-loop") == []


@pytest.mark.parametrize(
    "taken",
    [
        "loss.data",
        "out.data[0]",
        "each(out, y.cuda()).data[0]",
        "out.mean(1).data[0]",
        "torch.abs(out).data[0]",
        "(-out).exp().data[0]",
    ],
)
def test_a_row_and_the_loss_itself_are(program: Program, taken: str) -> None:
    assert program(PRINTED.format(taken=taken)).reported("tensor-print-in-training-loop") == [
        'print("%.3f" % (total / 10))'
    ]
