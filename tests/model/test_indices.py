"""What comes with the values of a tensor: their indices, which are whole numbers and have no graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

PREDICTED = """\
import torch
net = torch.nn.Linear(2, 2).cuda()
out = net(torch.ones(2, 2).cuda())
{taken}
print(found.cpu().numpy())
"""


@pytest.mark.parametrize(
    "taken",
    [
        "_, found = out.max(1)",
        "_, found = torch.max(out, 1)",
        "found = out.max(dim=1)[1]",
        "found = out.max(dim=1).indices",
        "found = out.topk(3)[1]",
        "best = out.sort(1)\nfound = best[1]",
    ],
)
def test_indices_have_no_graph(program: Program, taken: str) -> None:
    assert program(PREDICTED.format(taken=taken)).reported("numpy-of-device-tensor") == []


@pytest.mark.parametrize(
    "taken",
    [
        "found, _ = out.max(1)",
        "found = out.topk(3)[0]",
        "found = out.sort(1).values",
        "found = torch.max(out, 1).values",
        "found = out[1]",
    ],
)
def test_values_have_one(program: Program, taken: str) -> None:
    assert program(PREDICTED.format(taken=taken)).reported("numpy-of-device-tensor") == ["print(found.cpu().numpy())"]


@pytest.mark.parametrize("taken", ["found = out.max(1).values", "found = out.sort().indices"])
def test_values_are_where_the_tensor_is(program: Program, taken: str) -> None:
    host = "    out = torch.ones(2, 2)\n"
    step = f"for x in loader:\n{host}    {taken}\n    found[0].cpu()\n    net(x.cuda()).sum().backward()\n"

    copied = program(PREDICTED.format(taken="found = out") + step).reported("host-copy-in-training-loop")

    assert copied == []
