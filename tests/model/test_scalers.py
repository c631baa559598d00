"""The scale of a gradient scaler, which is read off the GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

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


STEPPING = """\
import torch
from torch import nn
class Scaled(torch.optim.SGD):
    def __init__(self, parameters, clip=True):
        super().__init__(parameters, lr=0.1)
        self.clip = clip
    def step(self, closure=None):
        norm = torch.zeros(1, device="cuda")
        if closure is not None:
            print(norm.item())
        if self.clip:
            print(norm.item())
        print(norm.item())
        return super().step(closure)
model = nn.Linear(2, 2).to("cuda")
scaler = {scaler}
optimizer = {optimizer}
for x in torch.utils.data.DataLoader([]):
    scaler.scale(model(x).sum()).backward()
    {step}
"""
STEP = "scaler.step(optimizer)"
SCALER = "torch.amp.GradScaler()"
OPTIMIZER = "Scaled(model.parameters(), clip=False)"


@pytest.mark.parametrize(
    ("optimizer", "step", "lines"),
    [
        (OPTIMIZER, STEP, [13]),
        ("Scaled(model.parameters())", STEP, [12, 13]),
        (OPTIMIZER, "optimizer.step()", [13]),
    ],
    ids=["what it is made with", "all of it", "as the optimizer itself does"],
)
def test_it_runs_the_step_of_an_optimizer(program: Program, optimizer: str, step: str, lines: list[int]) -> None:
    checkout = program(STEPPING.format(scaler=SCALER, optimizer=optimizer, step=step))

    assert [one.span.line for one in checkout.findings("item-in-training-loop")] == lines


@pytest.mark.parametrize(
    ("scaler", "step"),
    [(SCALER, "scaler.unscale_(optimizer)"), (SCALER, "scaler.step(unknown)"), ("Picture()", STEP), ("made()", STEP)],
    ids=["another method", "another optimizer", "another scaler", "unknown"],
)
def test_nothing_else_does(program: Program, scaler: str, step: str) -> None:
    checkout = program(STEPPING.format(scaler=scaler, optimizer=OPTIMIZER, step=step))

    assert checkout.reported("item-in-training-loop") == []
