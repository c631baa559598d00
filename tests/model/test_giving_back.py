"""Functions that give back what they are given: what that is shows at the call, however far down it is made."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.syntax.giving_back import gives_back
from torchlint.syntax.index import build_index

Program: TypeAlias = Callable[[str], Checkout]

GIVING = {
    "an argument": "return x",
    "one of them": "if x is not None:\n        return x\n    return y",
    "one or the other": "return y if x is None else x",
    "the first that is true": "return x or y",
    "what calling one gives": "if x is not None:\n        return x\n    return y() if callable(y) else y",
    "a tuple of it": "return x if isinstance(x, tuple) else (x,) * y",
    "by a name": "if isinstance(x, list):\n        x = tuple(x)\n    out = x if y is None else (x,) * y\n    return out",
    "the first of several": "for one in (x, y):\n        if one is not None:\n            return one",
    "the first of all": "for one in more:\n        if one is not None:\n            return one() if callable(one) else one",
    "one of all, by its position": "return more[0] if more[0] is not None else more[1]",
    "what takes its place": "if x is None:\n        x = y\n    return x",
}
COMPUTING = {
    "what it computes": "return x * y",
    "what a method makes": "x = x.float()\n    return x",
    "what another makes": "return other(x)",
    "nothing": "print(x, y)",
    "a part": "return x[y]",
    "each of its parts": "for one in x:\n        return one",
    "parts of each": "for one, other in more:\n        return one",
    "what it computes of all": "more = [one * 2 for one in more]\n    return more[0]",
    "itself": "out = out\n    return out",
    "a test": "return x is not None",
}


def _first(body: str) -> bool:
    index = build_index(ast.parse(f"def helper(x, y, *more):\n    {body}\n"))
    return gives_back(next(scope for scope in index.scopes if scope.kind == "function"))


@pytest.mark.parametrize("body", GIVING.values(), ids=GIVING)
def test_what_a_function_is_given_it_gives_back(body: str) -> None:
    assert _first(body)


@pytest.mark.parametrize("body", COMPUTING.values(), ids=COMPUTING)
def test_what_a_function_makes_is_nothing_that_it_was_given(body: str) -> None:
    assert not _first(body)


DEFAULTS = """
import torch
from torch import nn

def exists(value):
    return value is not None
{helper}
class Sampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 3)

    def forward(self, x, number=None, scale=None):
        number = default(number, 1)
        scale = default(scale, {scale})
        if number > 1:
            print(number)
        if scale > 1:
            print(scale)
        return self.net(x).mean()

class Trainer(nn.Module):
    def __init__(self, sampler):
        super().__init__()
        self.sampler = sampler

    def forward(self, *args, number=None):
        return self.sampler(*args, number=number)

def train(loader):
    trainer = Trainer(Sampler().cuda())
    optimizer = torch.optim.SGD(trainer.parameters(), 0.1)
    for x in loader:
        loss = trainer(x.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

noise = default(None, lambda: torch.rand(3).cuda())
mask = default(None, torch.ones(3).cuda())
count = default(3, 4)
sizes = default([1], [2])
"""


CHOOSING = """
def default(value, other):
    if exists(value):
        return value
    return other() if callable(other) else other
"""
CHOOSING_AMONG_ALL = """
def default(*args):
    for arg in args:
        if exists(arg):
            return arg() if callable(arg) else arg
"""


@pytest.mark.parametrize("helper", [CHOOSING, CHOOSING_AMONG_ALL], ids=["two", "all"])
@pytest.mark.parametrize(("scale", "expected"), [("2", []), ("x.norm()", ["if scale > 1:"])])
def test_what_others_give_a_helper_is_not_given_back_here(
    program: Program, helper: str, scale: str, expected: list[str]
) -> None:
    checkout = program(DEFAULTS.replace("{scale}", scale).replace("{helper}", helper))

    assert checkout.reported("tensor-branch-in-training-loop") == expected
