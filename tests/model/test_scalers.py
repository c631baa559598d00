"""The scale of a gradient scaler, which is read off the GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

CODE = """\
import torch
from torch import nn
model = nn.Linear(2, 2).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader([])
class Picture:
    def get_scale(self):
        return 2.0
scaler = {scaler}
for i, x in enumerate(loader):
    scaler.scale(model(x).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    {read}
"""


@pytest.mark.parametrize(
    "scaler",
    [
        "torch.cuda.amp.GradScaler()",
        "torch.amp.GradScaler('cuda')",
        "torch.cuda.amp.GradScaler(enabled=args.amp)",
    ],
)
def test_the_scale_of_a_gradient_scaler_is_waited_for(program: Program, scaler: str) -> None:
    checkout = program(CODE.format(scaler=scaler, read="print(scaler.get_scale())"))

    assert checkout.reported("item-in-training-loop") == ["print(scaler.get_scale())"]


def test_its_state_is_waited_for(program: Program) -> None:
    read = "print(scaler.state_dict()['scale'], model.state_dict(), optimizer.state_dict())"
    wait, *others = program(CODE.format(scaler="torch.amp.GradScaler()", read=read)).findings("item-in-training-loop")

    assert wait.fix is None
    assert not others


@pytest.mark.parametrize(
    ("scaler", "read"),
    [
        ("torch.cuda.amp.GradScaler(enabled=False)", "print(scaler.get_scale())"),
        ("torch.amp.GradScaler('cpu')", "print(scaler.get_scale())"),
        ("Picture()", "print(scaler.get_scale())"),
        ("made(args)", "print(scaler.get_scale())"),
        ("torch.cuda.amp.GradScaler()", "print(scaler.get_growth_factor())"),
        ("torch.cuda.amp.GradScaler()", "print(scaler.get_scale()) if i % 100 == 0 else None"),
        ("torch.cuda.amp.GradScaler()", "torch.save(scaler.state_dict(), 'a.pt') if i % 100 == 0 else None"),
        ("torch.cuda.amp.GradScaler(enabled=False)", "print(scaler.state_dict())"),
    ],
    ids=[
        "switched off",
        "on the host",
        "another scale",
        "unknown",
        "another number",
        "now and then",
        "saved now and then",
        "the state of one that is switched off",
    ],
)
def test_no_other_scale_is(program: Program, scaler: str, read: str) -> None:
    checkout = program(CODE.format(scaler=scaler, read=read))

    assert checkout.reported("item-in-training-loop") == []
