"""Gradients that a worker hands over to the module that the optimizer updates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint import Confidence

Files: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "missing-zero-grad"
TRAIN = """\
import torch
from torch import nn
from sharing import hand_over
def train(shared, loader):
    local = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(shared.parameters())
    for x in loader:
        {first}
        {zero}
        loss = local(x).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(local.parameters(), 40)
        {over}
        optimizer.step()
train(nn.Linear(3, 1), [torch.ones(2, 3)] * 4)
"""
SHARING = """\
def hand_over(model, shared_model):
    for param, shared_param in zip(model.parameters(), shared_model.parameters()):
        if shared_param.grad is not None:
            return
        shared_param._grad = param.grad
"""
PULL = "local.load_state_dict(shared.state_dict())"
ZERO, OVER = "optimizer.zero_grad()", "hand_over(local, shared)"
BESIDE = "for own, other in zip(local.parameters(), shared.parameters()): other.grad = own.grad.clone()"
CASES = {
    "by a function of another file": (PULL, ZERO, OVER, True),
    "right there": (PULL, ZERO, BESIDE, True),
    "zeroed by the module": (PULL, "optimizer.zero_grad(); local.zero_grad()", OVER, False),
    "zeroed by the module alone": (PULL, "local.zero_grad()", OVER, False),
    "zeroed by hand": (PULL, "for p in local.parameters(): p.grad = None\n        optimizer.zero_grad()", OVER, False),
    "filled with zeros": (PULL, "optimizer.zero_grad(set_to_none=False)", OVER, False),
    "made again": ("local = nn.Linear(3, 1)", ZERO, OVER, False),
    "in the other direction": (PULL, ZERO, "hand_over(shared, local)", False),
    "of both modules": ("optimizer = torch.optim.Adam([*shared.parameters(), *local.parameters()])", ZERO, OVER, False),
    "zeroed by what has the module": (PULL, "optimizer.zero_grad(); clean(local)", OVER, False),
}


@pytest.mark.parametrize(("first", "zero", "over", "is_found"), CASES.values(), ids=CASES)
def test_gradients_stay_where_they_were_computed(
    project_of: Files, first: str, zero: str, over: str, is_found: bool
) -> None:
    clean = "def clean(model): model.zero_grad()\n"
    files = project_of({"train.py": clean + TRAIN.format(first=first, zero=zero, over=over), "sharing.py": SHARING})

    assert files.reported(RULE, "train.py") == ["loss.backward()"] * is_found


PUSH = """\
def push(opt, local, shared, x):
    loss = local(x).mean()
    opt.zero_grad()
    loss.backward()
    for own, other in zip(local.parameters(), shared.parameters()):
        other._grad = own.grad
    opt.step()
"""


def test_an_optimizer_that_nobody_passes_is_that_of_the_module_that_gets_the_gradients(project_of: Files) -> None:
    files = project_of({"main.py": PUSH})

    [found] = files.findings(RULE, "main.py")

    assert (found.span.line, found.confidence) == (4, Confidence.MEDIUM)


@pytest.mark.parametrize("copied", ["own.grad + other.grad", "other.grad", "own.data"])
def test_what_is_computed_of_gradients_is_not_handed_over(project_of: Files, copied: str) -> None:
    files = project_of({"main.py": PUSH.replace("own.grad", copied)})

    assert files.reported(RULE, "main.py") == []
