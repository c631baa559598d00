"""Evaluations that compute gradients in every iteration: they cannot run under `torch.no_grad()`."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

_EVALUATION = """\
import torch

def likelihood(model, x, steps):
    model.eval()
    total = torch.zeros(())
    x.requires_grad_(True)
    for step in range(steps):
        drift = model(x)
{body}
        total = total + drift.sum()
    return total

likelihood(torch.nn.Linear(2, 2), torch.randn(3, 2), 10)
"""
_DIFFERENTIATING = {
    "grad": "slope = torch.autograd.grad(drift.sum(), x, retain_graph=True)[0]",
    "an imported grad": "from torch.autograd import grad\nslope = grad(drift.sum(), x, retain_graph=True)[0]",
    "for each part": "for part in drift.unbind():\n    torch.autograd.grad(part.sum(), x, retain_graph=True)",
}


@pytest.mark.parametrize("body", _DIFFERENTIATING.values(), ids=_DIFFERENTIATING)
def test_what_computes_gradients_needs_its_graph(program: Program, body: str) -> None:
    assert program(_EVALUATION.format(body=indent(body, " " * 8))).reported("kept-graph") == []


def test_what_only_evaluates_keeps_a_graph_for_nothing(program: Program) -> None:
    code = _EVALUATION.format(body="        pass")

    assert program(code).reported("kept-graph") == ["total = total + drift.sum()"]
