"""Which call made the argument of a loss: through names, views, returns, attributes and modules of modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "softmax-before-cross-entropy"
CODE = """\
import torch
from collections import OrderedDict
from torch import nn
from torch.nn import functional as F

class Head(nn.Module):
    def __init__(self, is_final=False):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.final = is_final
        self.softmax = nn.Softmax(dim=1)
    def forward(self, x):
        {forward}

def probabilities(x):
    return torch.softmax(x, 1)

head = Head()
y = torch.zeros(2, dtype=torch.long)
{made}
def train(x, y=y):
    {given}
"""
GIVEN = "F.cross_entropy({}, y)"
EXPRESSIONS = {
    "a function": ("F.softmax(x, dim=1)", True),
    "a method": ("head.linear(x).softmax(1)", True),
    "a method of what nobody knows": ("x.softmax(dim=1)", True),
    "a module": ("nn.Softmax(dim=1)(x)", True),
    "a helper": ("probabilities(x)", True),
    "a view of it": ("torch.softmax(x, 1).view(-1, 4)", True),
    "several views": ("torch.squeeze(F.softmax(x, 1)[:, :3].float().contiguous(), 0)", True),
    "an item of it": ("F.softmax(x, 1)[0]", True),
    "moved": ("F.softmax(x, 1).to(y.device)", True),
    "one way or the other": ("F.softmax(x, 1) if y.any() else probabilities(x)", True),
    "on one way only": ("F.softmax(x, 1) if y.any() else x", False),
    "its logarithm": ("F.softmax(x, 1).log()", False),
    "scaled": ("F.softmax(x, 1) * 10", False),
    "a log-softmax": ("F.log_softmax(x, 1)", False),
    "a softmax inside": ("head.linear(F.softmax(x, 1) @ x)", False),
    "put together": ("torch.cat([F.softmax(x, 1), probabilities(x)])", True),
    "put together with others": ("torch.stack([F.softmax(x, 1), x])", False),
    "in a loop": ("F.softmax(x, 1)\n    for _ in x: out = out.reshape(2, 2)", True),
    "in a loop with others": ("F.softmax(x, 1)\n    for _ in x: out = out.reshape(2, 2) + x", False),
    "its largest": ("F.softmax(x, 1).max(2)[0]", False),
    "unknown": ("make(x)", False),
}
FORWARDS = {
    "the last line": ("return F.softmax(self.linear(x), dim=1)", True),
    "its own layer": ("return self.softmax(self.linear(x))", True),
    "a method of the module": ("return self.soft(x)\n    def soft(self, x): return self.softmax(x)", True),
    "made, then looked at": ("x = self.softmax(x)\n        x.requires_grad_()\n        return x", True),
    "changed in place": ("x = self.softmax(x)\n        x.log_()\n        return x", False),
    "logits": ("return self.linear(x)", False),
    "where it does not train": ("return self.linear(x) if self.training else self.softmax(x)", False),
    "where nobody trains": ("if not self.training:\n            x = self.softmax(x)\n        return x", False),
    "where it was told not to": ("return self.softmax(x) if self.final else x", False),
}
MADE = {
    "the last of a Sequential": ("nn.Sequential(nn.Linear(4, 4), nn.Softmax(1))", True),
    "in a Sequential of its own": ("nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.ReLU(), nn.Softmax(1)))", True),
    "what the last module makes": ("nn.Sequential(nn.Linear(4, 4), Soft())", True),
    "the last of a dict": ("nn.Sequential(OrderedDict([('a', nn.Linear(4, 4)), ('b', nn.Softmax(1))]))", True),
    "wrapped or not": (
        "nn.Sequential(nn.Linear(4, 4), nn.Softmax(1))\nif a: net = nn.DataParallel(net)",
        True,
    ),
    "wrapped": ("nn.DataParallel(nn.Sequential(nn.Linear(4, 4), nn.Softmax(1)))", True),
    "added": ("nn.Sequential(nn.Linear(4, 4))\nnet.add_module('soft', nn.Softmax(1))", True),
    "in a list that grows": ("None\nl = [nn.ReLU()]\nl += [nn.Softmax(1)]\nnet = nn.Sequential(*l)", True),
    "added under a condition": ("nn.Sequential(nn.Linear(4, 4))\nif a: net.append(nn.Softmax(1))", False),
    "added before another one": ("nn.Sequential(nn.Softmax(1))\nnet.append(nn.Linear(4, 4))", False),
    "not the last": ("nn.Sequential(nn.Softmax(1), nn.Linear(4, 4))", False),
    "cut off": ("nn.Sequential(nn.Linear(4, 4), nn.Softmax(1))\nnet = net[:-1]", False),
    "replaced": ("nn.Sequential(nn.Linear(4, 4), nn.Softmax(1))\nnet[-1] = nn.Identity()", False),
    "taken off a list": ("None\nl = [nn.ReLU(), nn.Softmax(1)]\nl.pop()\nnet = nn.Sequential(*l)", False),
    "chosen": ("nn.Sequential(nn.Linear(4, 4), nn.Softmax(1) if a else nn.Identity())", False),
}
LOSSES = {
    "in a name": ("loss", "{} = nn.CrossEntropyLoss()", True),
    "in a name that says nothing": ("measure", "{} = nn.CrossEntropyLoss().cuda()", True),
    "at once": ("nn.CrossEntropyLoss()", "", True),
    "in an attribute": ("Box.loss", "class Box: loss = nn.CrossEntropyLoss(reduction='none')", True),
    "another loss": ("loss", "{} = nn.MSELoss()", False),
    "one of two": ("loss", "{} = nn.CrossEntropyLoss() if a else nn.MSELoss()", False),
}

OTHERS = {
    "the module alone": ("head = Head()", True),
    "its layer replaced": ("head = Head()\nhead.softmax = nn.Identity()", False),
    "another attribute set": ("head = Head()\nhead.name = nn.Identity()", True),
    "a class below": ("class Other(Head):\n    def soft(self, x): return x\nhead = Other()", False),
    "a class below with the same method": (
        "class Other(Head):\n    def name(self): return 'other'\nhead = Other()",
        True,
    ),
}
METHODS = """\
return self.soft(x)
    def soft(self, x): return self.softmax(x)
    def loss(self, x, y): return F.cross_entropy(self(x), y)
"""
FOCAL = """\
class Focal(nn.Module):
    def forward(self, inputs, targets):
        return F.cross_entropy(inputs.view(-1, 4), targets)
focal = Focal()
"""
CALLED = {
    "by one": ("focal(x.softmax(1), y)", True),
    "by name": ("focal(targets=y, inputs=x.softmax(1))", True),
    "by two": ("focal(x.softmax(1), y)\n    focal(x, y)", False),
    "by others, too": (
        "focal(x.softmax(1), y)\nclass Other:\n    focal = focal\n    def f(self, x): self.focal(x, 0)",
        False,
    ),
    "with logits": ("focal(head.linear(x), y)", False),
    "openly": ("focal(*x)", False),
}


def _is_reported(program: Program, *, made: str = "", forward: str = "return x", given: str) -> bool:
    return bool(program(CODE.format(made=made, forward=forward, given=given)).findings(RULE))


@pytest.mark.parametrize(("given", "is_found"), EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_what_made_a_tensor_is_seen_through_what_keeps_its_values(program: Program, given: str, is_found: bool) -> None:
    assert _is_reported(program, given=f"out = {given}\n    F.cross_entropy(out, y)") == is_found


@pytest.mark.parametrize(("forward", "is_found"), FORWARDS.values(), ids=FORWARDS)
def test_what_a_module_returns_was_made_in_its_forward(program: Program, forward: str, is_found: bool) -> None:
    assert _is_reported(program, forward=forward, given=GIVEN.format("head(x)")) == is_found


@pytest.mark.parametrize(("made", "is_found"), MADE.values(), ids=MADE)
def test_a_sequential_returns_what_its_last_module_does(program: Program, made: str, is_found: bool) -> None:
    soft = "class Soft(nn.Module):\n    def forward(self, x): return x.softmax(1)\n"

    assert _is_reported(program, made=f"{soft}net = {made}", given=GIVEN.format("net(x)")) == is_found


@pytest.mark.parametrize(("loss", "made", "is_found"), LOSSES.values(), ids=LOSSES)
def test_a_loss_is_found_by_what_it_is(program: Program, loss: str, made: str, is_found: bool) -> None:
    assert _is_reported(program, made=made.format(loss), given=f"{loss}(x.softmax(1), y)") == is_found


@pytest.mark.parametrize(("made", "is_found"), OTHERS.values(), ids=OTHERS)
def test_what_others_make_of_a_module_counts(program: Program, made: str, is_found: bool) -> None:
    assert _is_reported(program, made=made, forward=METHODS, given="head.loss(x, y)") == is_found


@pytest.mark.parametrize(("given", "is_found"), CALLED.values(), ids=CALLED)
def test_a_loss_of_the_project_is_given_what_its_callers_pass(program: Program, given: str, is_found: bool) -> None:
    assert _is_reported(program, made=FOCAL, given=given) == is_found
