"""What Apex makes ready for mixed precision is what it was given."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Built, Unknown

Program: TypeAlias = Callable[[str], Checkout]
HEAD = """\
import torch
from torch import nn
from settings import read
from apex import amp
net = nn.Linear(2, 2)
other = nn.Conv2d(2, 2, 1)
adam = torch.optim.Adam(net.parameters())
sgd = torch.optim.SGD(other.parameters(), lr=0.1)
"""
NET, OTHER, ADAM, SGD = (
    Built(f"torch.{name}") for name in ("nn.Linear", "nn.Conv2d", "optim.Adam", "optim.SGD")
)  # fmt: skip
INITIALIZED = {
    "both": ('a, b = amp.initialize(net, adam, opt_level="O1")', [NET], [ADAM]),
    "by name": ("a, b = amp.initialize(optimizers=adam, models=net)", [NET], [ADAM]),
    "a list of optimizers": ("a, [_, b] = amp.initialize(net, [adam, sgd])", [NET], [SGD]),
    "lists of both": ("[_, a], [b, _] = amp.initialize([net, other], [adam, sgd])", [OTHER], [ADAM]),
    "a model alone": ('a = b = amp.initialize(net, opt_level="O1")', [NET], [NET]),
    "no optimizer": ("a = b = amp.initialize(net, None)", [NET], [NET]),
    "who knows": ("a, b = amp.initialize(**read())", [Unknown()], [Unknown()]),
    "who knows what": ("a, b = amp.initialize(*read())", [Unknown()], [Unknown()]),
    "another package's": ("a, b = read.initialize(net, adam)", [Unknown()], [Unknown()]),
}


@pytest.mark.parametrize(("code", "models", "optimizers"), INITIALIZED.values(), ids=INITIALIZED)
def test_models_and_optimizers_come_back_in_the_same_shapes(
    program: Program, code: str, models: list[object], optimizers: list[object]
) -> None:
    checkout = program(f"{HEAD}{code}\na.x\nb.y\n")

    assert checkout.values("a") == models
    assert checkout.values("b") == optimizers


def test_what_a_model_runs_is_known_when_it_was_made_ready(program: Program) -> None:
    step = """\
        try:
            from apex import amp
        except ImportError:
            amp = None
        class Head(nn.Module):
            def forward(self, x):
                print(x.mean().item())
                return x
        class Tail(nn.Module):
            def forward(self, x):
                print(x.sum().item())
                return x
        KINDS = {"head": Head}
        def main(loader, kind):
            model = KINDS[kind]().cuda()
            optimizer = torch.optim.Adam(model.parameters())
            model, optimizer = amp.initialize(model, optimizer)
            for x in loader:
                model(x.cuda()).sum().backward()
                optimizer.step()
        """

    assert program(HEAD + dedent(step)).reported("item-in-training-loop") == ["print(x.mean().item())"]
