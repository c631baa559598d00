"""What runs with every call of a module's `forward`, if no loop is known to train the module."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "created-then-moved"
HEAD = """\
import torch
from torch import nn
class Mask:
    def __init__(self, x):
        self.ones = torch.ones(2).to(x.device)
def ones_like(x):
    return torch.ones(2).to(x.device)
class Net(nn.Module):
    def ones(self, x):
        return torch.ones(2).to(x.device)
    def more(self, x):
        return self.ones(x)
    def chosen(self, x, draw=False):
        if draw:
            return torch.ones(2).to(x.device)
        return x
    def forward(self, x, infer=False, mode="train"):
        {body}
"""
WITH_FORWARD = {
    "a method": "return self.ones(x)",
    "through another method": "return self.more(x)",
    "a function": "return ones_like(x)",
    "what an object is built with": "return Mask(x).ones",
    "as the module was made": "return self.ones(x) if self.is_masked else x",
    "as the data are": "return self.ones(x) if x.dim() == 2 else x",
    "as is left out": "return self.ones(x) if mask is None else x",
}
AT_TIMES = {
    "an evaluation": "return x if self.training else self.ones(x)",
    "what a caller asks for": "return self.ones(x) if infer else x",
    "what a caller does not ask for": "if not infer:\n            return x\n        return self.ones(x)",
    "another mode": "return self.ones(x) if mode == 'draw' else x",
    "what is kept": "if self.mask is None:\n            self.mask = self.ones(x)\n        return self.mask",
    "handed on": "return self.apply(self.ones)",
    "what the callee does not do": "return self.chosen(x)",
    "nobody": "return x",
}


@pytest.mark.parametrize("body", WITH_FORWARD.values(), ids=WITH_FORWARD)
def test_what_forward_calls_runs_with_it(program: Program, body: str) -> None:
    assert len(program(HEAD.format(body=body)).findings(RULE)) == 1


@pytest.mark.parametrize("body", AT_TIMES.values(), ids=AT_TIMES)
def test_what_forward_calls_at_times_is_left_alone(program: Program, body: str) -> None:
    assert program(HEAD.format(body=body)).findings(RULE) == []


def test_the_way_from_forward_is_told(program: Program) -> None:
    project = program(HEAD.format(body=WITH_FORWARD["through another method"]))

    assert project.trace(RULE) == [
        ("main.py", "return self.more(x)", "`Net.more` is called in every `forward` here"),
        ("main.py", "return self.ones(x)", "`Net.ones` is called in every `forward` here"),
    ]


LOOP = """
def train(loader, optimizer):
    net = Net().cuda()
    for x in loader:
        net(x.cuda()).sum().backward()
        optimizer.step()
"""
KEPT_ELSEWHERE = "return self.masks.distinctive_ones(x)"


def test_a_loop_that_trains_the_module_tells_what_runs_with_every_step(program: Program) -> None:
    code = HEAD.replace("def ones(", "def distinctive_ones(").format(body=KEPT_ELSEWHERE)

    alone, trained = len(program(code).findings(RULE)), len(program(code + LOOP).findings(RULE))

    assert (alone, trained) == (1, 0)


def test_what_the_loop_comes_to_is_reported_once(program: Program) -> None:
    project = program(HEAD.format(body=WITH_FORWARD["a method"]) + LOOP)

    assert next(words for _, _, words in project.trace(RULE)) == "this loop trains"


@pytest.mark.parametrize("calls", [4, 12], ids=["near", "far down"])
def test_what_forward_calls_is_followed_however_far_down(program: Program, calls: int) -> None:
    between = "".join(f"    def step{i}(self, x):\n        return self.step{i + 1}(x)\n" for i in range(1, calls))
    checkout = program(
        "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(self, x):\n"
        f"        return self.step1(x)\n{between}    def step{calls}(self, x):\n"
        "        return x + torch.ones(2).to(x.device)\n"
    )

    assert len(checkout.findings(RULE)) == 1
