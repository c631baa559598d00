"""The inputs of a module's `forward`, when a step calls the module."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

_MODULES = """\
import torch
from torch import nn

def halved(x, most):
    if x.max() > most:
        return x / 2
    return x

def bounded(x, most=3):
    return halved(x, most)

def handed(x, head):
    return head(x)

class Head(nn.Module):
    def forward(self, hidden, mask=None, scale=1.0):
{body}
        return hidden

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)
        self.head = Head()

    def forward(self, x):
        return {call}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.utils.data.DataLoader([]):
    loss = net(x.to(device)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
ASKED = {
    "by a function that is given the module": (
        "assert (0 <= hidden).all()",
        "handed(self.inner(x), head=self.head)",
    ),
    "an assertion": ("assert (0 <= hidden).all()", "self.head(self.inner(x))"),
    "a test": ("if hidden.max() > 3:\n    hidden = hidden / 2", "self.head(self.inner(x))"),
    "in a function that it calls": ("hidden = bounded(hidden)", "self.head(self.inner(x))"),
    "in a function that it gives what the model was given": ("hidden = halved(hidden, 3)", "self.head(x)"),
    "what the model itself was given": ("if hidden.max() > 3:\n    hidden = hidden / 2", "self.head(x)"),
    "what is given by name": ("if mask.any():\n    hidden = hidden * mask", "self.head(x, mask=x > 0)"),
    "what is only there at times": (
        "if mask is not None and mask.any():\n    hidden = hidden * mask",
        "self.head(x, x > 0) + self.head(x)",
    ),
}


@pytest.mark.parametrize(("body", "call"), ASKED.values(), ids=ASKED)
def test_a_tensor_that_a_module_is_called_with_is_asked(program: Program, body: str, call: str) -> None:
    assert len(_found(program, body, call)) == 1


LEFT = {
    "a default": ("if mask:\n    hidden = hidden * 2", "self.head(x)"),
    "a number": ("if scale > 0.5:\n    hidden = hidden * 2", "self.head(x, scale=2)"),
    "a tensor on the host": ("if hidden.max() > 3:\n    hidden = hidden / 2", "self.head(torch.rand(3))"),
    "a tensor on the host in a function": ("hidden = bounded(hidden)", "self.head(torch.rand(3))"),
    "a shape": ("if hidden.shape[0] > 3:\n    hidden = hidden / 2", "self.head(x)"),
    "what may be a list": ("if hidden:\n    hidden = hidden[0]", "self.head([x] if what else x)"),
    "what is a flag by the only call": (
        "which = hidden if what else torch.ones(3, device=device)\nif which:\n    return scale",
        "self.inner(x) * self.head(True)",
    ),
    "what nobody knows": ("if hidden.is_due():\n    hidden = 1", "self.head(what)"),
    "what no call comes to": (
        "if scale > 1.5:\n    assert (hidden > 0).all()",
        "self.head(self.inner(x), scale=1.0)",
    ),
}


@pytest.mark.parametrize(("body", "call"), LEFT.values(), ids=LEFT)
def test_what_may_be_no_tensor_on_a_device_is_left_alone(program: Program, body: str, call: str) -> None:
    assert _found(program, body, call) == []


_LOSSES = """\
import torch
from torch import nn

LOSSES = {}
def register(cls):
    LOSSES[cls.__name__] = cls
    return cls

@register
class Pixel(nn.Module):
    def forward(self, found, wanted):
        if wanted.max() > 1:
            wanted = wanted / 255
        return (found - wanted).abs().mean()

@register
class Adversarial(nn.Module):
    def target(self, found, is_real):
        return is_real if self.bare else torch.ones_like(found)
    def forward(self, found, is_real):
        return -found.mean() if is_real else found.mean() - self.target(found, is_real)

net = nn.Linear(8, 1).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
pixel, adversarial = LOSSES[options["pixel"]](), LOSSES[options["adversarial"]]()
for x, y in torch.utils.data.DataLoader([]):
    loss = pixel(net(x.cuda()), y.cuda()) + adversarial(net(x.cuda()), True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_the_flag_of_one_loss_is_not_what_another_of_the_same_table_is_given(program: Program) -> None:
    assert program(_LOSSES).reported("tensor-branch-in-training-loop") == ["if wanted.max() > 1:"]


def _found(program: Program, body: str, call: str) -> list[str]:
    checkout = program(_MODULES.format(body=indent(body, " " * 8), call=call))
    return checkout.reported("tensor-branch-in-training-loop")


_WRAPPED = """\
import os
import torch
from torch import nn
from torch.nn.parallel import DataParallel, DistributedDataParallel

class Losses(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, x, order):
        order = order.tolist()
        return self.inner(x)[order].mean()

class Unscattered(DataParallel):
    def forward(self, x, order):
        order = order.tolist()
        return x.mean()

net = Losses().cuda()
{wrap}
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.utils.data.DataLoader([]):
    loss = net(x.cuda(), {order}).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
_BROUGHT = {
    "by position": ("net = DataParallel(net)", "torch.arange(8)"),
    "by keyword": ("net = DataParallel(net)", "order=torch.arange(8)"),
    "by one process for each GPU": ("net = DistributedDataParallel(net, device_ids=[0])", "torch.arange(8)"),
}
_LEFT = {
    "no wrapper": ("", "torch.arange(8)"),
    "maybe a wrapper": ("if os.environ.get('MANY'):\n    net = DataParallel(net)", "torch.arange(8)"),
    "a wrapper that moves nothing": ("net = DistributedDataParallel(net)", "torch.arange(8)"),
    "a wrapper's own forward": ("net = Unscattered(net)", "torch.arange(8)"),
    "an array": ("import numpy\nnet = DataParallel(net)", "numpy.arange(8)"),
}


@pytest.mark.parametrize(("wrap", "order"), _BROUGHT.values(), ids=_BROUGHT)
def test_what_a_wrapper_is_handed_from_the_host_is_on_a_device_inside(program: Program, wrap: str, order: str) -> None:
    checkout = program(_WRAPPED.replace("{wrap}", wrap).replace("{order}", order))

    assert checkout.reported("item-in-training-loop") == ["order = order.tolist()"]


@pytest.mark.parametrize(("wrap", "order"), _LEFT.values(), ids=_LEFT)
def test_what_nothing_moves_on_the_way_stays_on_the_host(program: Program, wrap: str, order: str) -> None:
    checkout = program(_WRAPPED.replace("{wrap}", wrap).replace("{order}", order))

    assert checkout.reported("item-in-training-loop") == []
