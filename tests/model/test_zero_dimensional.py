"""Which tensors surely have no dimension, and where somebody takes the first of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout
from torchlint.model.tensors.zero_dimensional import has_no_dimension
from torchlint.model.worlds import ANYWHERE

Program: TypeAlias = Callable[[str], Checkout]
HEAD = """\
import torch
from torch import nn
from torch.nn import functional as F
criterion = nn.CrossEntropyLoss()
class Both(nn.Module):
    def forward(self, x, y):
        return F.mse_loss(x, y), x * y
both = Both()
def compute(x, y):
    return criterion(x, y) + 0.1 * F.l1_loss(x, y)
"""
MADE = {
    "of a loss": ("y = criterion(a, b)", True),
    "of a function": ("y = F.mse_loss(a, b)", True),
    "that keeps all": ("y = F.mse_loss(a, b, reduction='none')", False),
    "of a module that keeps all": ("y = nn.MSELoss(reduction='none')(a, b)", False),
    "summed up": ("y = 0\nfor x in xs:\n    y += criterion(x, b)", True),
    "summed up into one with a dimension": ("y = torch.zeros(1)\nfor x in xs:\n    y += criterion(x, b)", False),
    "given twice": ("y = criterion(a, b)\nif flag:\n    y = make()", False),
    "of a loop": ("for y in ys:\n    pass", False),
    "divided by a number": ("y = criterion(a, b) / 2", True),
    "divided by a tensor with a dimension": ("y = criterion(a, b) / torch.ones(3)", False),
    "divided by anything": ("y = criterion(a, b) / other", False),
    "negated": ("y = -criterion(a, b)", True),
    "elementwise": ("y = criterion(a, b).detach()", True),
    "a mean": ("y = torch.ones(3).mean()", True),
    "a mean of anything": ("y = make().mean()", False),
    "a mean of one dimension": ("y = torch.ones(3, 2).mean(0)", False),
    "a number": ("y = 3", False),
    "returned by a function": ("y = compute(a, b)", True),
    "the first part": ("y, x = both(a, b)", True),
    "the second part": ("x, y = both(a, b)", False),
    "an attribute": ("y = self.loss", False),
}


@pytest.mark.parametrize(("code", "expected"), MADE.values(), ids=MADE)
def test_what_surely_has_no_dimension_is_known(program: Program, code: str, expected: bool) -> None:
    checkout = program(f"{HEAD}{code}\nprint(y)  # here")

    place = checkout.place("y", mark="here")

    assert has_no_dimension(checkout.project.evaluator(ANYWHERE), place) == expected


TAKEN = {
    "y.data[0]": True,
    "y.data.cpu()[0]": True,
    "y.data.cpu().numpy()[0]": True,
    "y.data.view(1)[0]": False,
    "y.data[1]": False,
    "y.data": False,
}


@pytest.mark.parametrize(("text", "is_found"), TAKEN.items())
def test_what_takes_the_first_is_told(program: Program, text: str, is_found: bool) -> None:
    code = f"{HEAD}def f(a, b):\n    y = criterion(a, b)\n    return {text}\n"

    assert program(code).reported("indexed-scalar") == ([f"return {text}"] if is_found else [])
