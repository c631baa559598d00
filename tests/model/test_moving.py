"""Where changes of type leave a tensor: the old types and their names say a device, those of today do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import HOST, Device, Tensor

Program: TypeAlias = Callable[[str], Checkout]

CUDA = Device("cuda")
SECOND = Device("cuda", 1)
MOVED = """\
import torch
on_gpu = torch.ones(2, device="cuda:1")
on_host = torch.ones(2, device="cpu")
kind = on_gpu.type()
{expression}  # here
"""


@pytest.mark.parametrize(
    ("expression", "device"),
    [
        ("on_gpu.type(torch.FloatTensor)", HOST),
        ("on_gpu.type(dtype='torch.LongTensor')", HOST),
        ("on_gpu.type(on_host.type())", HOST),
        ("on_gpu.type(torch.float16)", SECOND),
        ("on_gpu.type(on_host.dtype)", SECOND),
        ("on_gpu.type(torch.cuda.HalfTensor)", SECOND),
        ("on_gpu.type(torch.FloatTensor if small else torch.cuda.FloatTensor)", None),
        ("on_gpu.type(unknown)", None),
        ("on_host.type(torch.cuda.HalfTensor)", CUDA),
        ("on_host.type(on_gpu.type())", SECOND),
        ("on_host.type(kind)", SECOND),
        ("on_host.to(on_gpu.dtype)", HOST),
        ("on_host.to(torch.promote_types(on_gpu.dtype, torch.float32))", HOST),
        ("on_host.to(torch.get_default_dtype())", HOST),
        ("on_gpu.to(dtype=on_host.dtype)", SECOND),
        ("on_host.to(on_gpu.device, on_gpu.dtype)", SECOND),
        # What is not written in the call may be a device.
        ("on_host.to(**kwargs)", None),
        ("on_host.to(*args)", None),
        ("on_host.to(device=on_gpu.device, **kwargs)", SECOND),
        ("on_host.to(torch.float16, **kwargs)", HOST),
    ],
)
def test_a_type_moves_where_it_says_a_device(program: Program, expression: str, device: Device | None) -> None:
    checkout = program(MOVED.format(expression=expression))

    values = checkout.values(expression, mark="here")

    assert [one.device for one in values if isinstance(one, Tensor)] == [device]
    assert len(values) == 1


BOUND = """\
import functools
import torch
on_gpu = torch.ones(2, device="cuda:1")
options = {{"device": "cuda"}}
make = functools.partial({bound})
{called}  # here
"""


@pytest.mark.parametrize(
    ("bound", "called", "device"),
    [
        ("torch.zeros, dtype=torch.int64", "make(3)", HOST),
        ("torch.zeros, device=on_gpu.device", "make(3)", SECOND),
        ("torch.arange, device=where", "make(3)", None),
        ("torch.zeros, **options", "make(3)", None),
        ("torch.zeros, device='cuda:1'", "make(3, device='cpu')", HOST),
    ],
)
def test_a_device_that_is_bound_is_that_of_what_is_made(
    program: Program, bound: str, called: str, device: Device | None
) -> None:
    (value,) = program(BOUND.format(bound=bound, called=called)).values(called, mark="here")

    assert isinstance(value, Tensor)
    assert value.device == device


TRAINING = """\
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in loader:
    out = torch.rand(2, device=device)
    host = torch.rand(2)
    loss = model(x.to(device)).sum()
    loss.backward()
    optimizer.step()
    {copied}
"""


@pytest.mark.parametrize(
    "copied", ["(out < 1).type(torch.FloatTensor)", "out.type('torch.LongTensor').sum()", "(out < 1).type_as(host)"]
)
def test_a_type_of_the_host_copies_there(program: Program, copied: str) -> None:
    assert program(TRAINING.format(copied=copied)).reported("host-copy-in-training-loop") == [copied]


@pytest.mark.parametrize(
    "copied",
    [
        "out.type(torch.float16)",
        "out.type(torch.cuda.FloatTensor)",
        "out.type()",
        "out.type_as(loss)",
        "out.type_as(unknown)",
        "host.type_as(out)",
        "host.type_as(host)",
        "x.type_as(host)",
        "host.type(torch.LongTensor)",
        "x.type(torch.FloatTensor)",
        "x.unsqueeze(1).type(torch.FloatTensor).to(device)",
    ],
)
def test_what_stays_or_is_there_most_likely_is_not_copied(program: Program, copied: str) -> None:
    assert program(TRAINING.format(copied=copied)).reported("host-copy-in-training-loop") == []


BATCHES = """\
import numpy
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.encoder = nn.Linear(3, 3)
        self.where = dict(dtype=torch.float32, device=device)
        self.to(device)
    def forward(self, state):
        state = torch.from_numpy(numpy.zeros((2, 3)))
        state = {state}
        return self.encoder(state)
net = Net(torch.device("cuda:0"))
print(net(1))
"""


@pytest.mark.parametrize(("state", "count"), [("state.to(**self.where)", 0), ("state.to(torch.float32)", 1)])
def test_what_is_moved_by_keywords_of_a_dict_is_not_left_on_the_host(program: Program, state: str, count: int) -> None:
    project = program(BATCHES.format(state=state))

    assert len([*project.findings("unmoved-batch"), *project.findings("default-device-tensor")]) == count
