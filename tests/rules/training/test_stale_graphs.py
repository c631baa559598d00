"""Which `backward()` needs weights that an optimizer has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "stale-graph"
CODE = """\
import torch
from torch import nn
deep = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))
layer, other = nn.Linear(2, 2), nn.Linear(2, 2)
of_deep, of_layer = torch.optim.SGD(deep.parameters()), torch.optim.SGD(layer.parameters())
of_other = torch.optim.SGD(other.parameters())
def train(loader):
    for x in loader:
        {body}
train([])
"""
STALE = {
    "a deep module": "p, q = deep(x).mean(), deep(x).sum(); p.backward(); of_deep.step(); q.backward()",
    "a layer behind another": "p, q = layer(x).mean(), layer(other(x)).sum(); p.backward(); of_layer.step(); q.backward()",
}
FRESH = {
    "computed after the step": "p = deep(x).mean(); p.backward(); of_deep.step(); q = deep(x).sum(); q.backward()",
    "both before": "p, q = deep(x).mean(), deep(x).sum(); p.backward(); q.backward(); of_deep.step()",
    "a layer at the bottom": "p, q = layer(x).mean(), layer(x).sum(); p.backward(); of_layer.step(); q.backward()",
    "another optimizer": "p, q = layer(x).mean(), deep(x).sum(); p.backward(); of_layer.step(); q.backward()",
    "now and then": "p, q = deep(x).mean(), deep(x).sum(); p.backward()\n        if p: of_deep.step()\n        q.backward()",
}


@pytest.mark.parametrize("body", STALE.values(), ids=STALE)
def test_weights_that_have_changed_are_found(program: Program, body: str) -> None:
    assert program(CODE.format(body=body.replace("; ", "\n        "))).reported(RULE) == ["q.backward()"]


@pytest.mark.parametrize("body", FRESH.values(), ids=FRESH)
def test_weights_as_they_were_are_left_alone(program: Program, body: str) -> None:
    assert program(CODE.format(body=body.replace("; ", "\n        "))).reported(RULE) == []


RETAINED = """\
import torch
from torch import nn
deep = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))
layer, other = nn.Linear(2, 2), nn.Linear(2, 2)
scale = torch.ones(2, requires_grad=True)
of_deep, of_layer = torch.optim.SGD(deep.parameters()), torch.optim.SGD(layer.parameters())
of_scale = torch.optim.SGD([scale])
def fit(x, y, unknown):
    out = {before}
    for _ in range(9):
        {body}
        loss.backward(retain_graph=True)
        {after}
"""
LOSS = "loss = (out - y).pow(2).mean()"


@pytest.mark.parametrize(
    ("before", "body", "after", "is_found"),
    [
        ("deep(x)", LOSS, "of_deep.step()", True),
        ("layer(other(x))", LOSS, "of_layer.step()", True),
        ("deep(x)", "loss = other(out).sum()", "of_deep.step()", True),
        ("deep(x)", "loss = (scale * out - y).sum()", "of_scale.step()", False),
        ("layer(x)", LOSS, "of_layer.step()", False),
        ("deep(x)", f"out = deep(x)\n        {LOSS}", "of_deep.step()", False),
        ("deep(x).detach()", "loss = deep(out).sum()", "of_deep.step()", False),
        ("deep(x)", LOSS, "pass\n    of_deep.step()", False),
        ("deep(x)", LOSS, "of_deep.step()\n        break", False),
        ("deep(x)", LOSS, "if loss > 1: of_deep.step()", False),
        ("deep(x)", "loss = unknown(out)", "of_deep.step()", False),
    ],
    ids=[
        "computed once", "a layer behind another", "through another module", "another leaf is stepped",
        "a single layer", "computed again", "detached", "stepped once", "one iteration", "now and then",
        "unknown code between",
    ],
)  # fmt: skip
def test_a_retained_graph_from_before_the_loop_is_stale_after_a_step(
    program: Program, before: str, body: str, after: str, is_found: bool
) -> None:
    found = program(RETAINED.format(before=before, body=body, after=after)).reported(RULE)

    assert found == (["loss.backward(retain_graph=True)"] if is_found else [])
