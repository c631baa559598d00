"""Which `backward()` goes through earlier iterations once more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "retained-graph"
CODE = """\
import torch
from elsewhere import repackage
from torch import nn
def train(model, other, windows):
    h, c = model.start()
    for x, y in windows:
        {body}
        loss = nn.functional.mse_loss(p, y)
        loss.backward({arguments})
train(nn.LSTM(2, 2), nn.Linear(2, 2), [])
"""
CARRIED = {
    "one state": "p, h = model(x, h)",
    "a pair": "p, (h, c) = model(x, (h, c))",
    "by keyword": "p, h = model(x, hx=h)",
    "through what is computed next": "q, h = model(x, h); p = other(q)",
    "the state itself is differentiated": "q, h = model(x, h); p = h",
}
NOT_CARRIED = {
    "detached": "p, h = model(x, h); h = h.detach()",
    "detached before": "h = h.detach(); p, h = model(x, h)",
    "detached in place": "p, h = model(x, h); h.detach_()",
    "each of several detached": "p, h = model(x, h); h = [one.detach() for one in h]",
    "by a helper": "h = repackage(h); p, h = model(x, h)",
    "made anew": "h = torch.zeros(2); p, h = model(x, h)",
    "under another name": "p, g = model(x, h)",
    "not recorded": "with torch.no_grad(): q, h = model(x, h); p = other(x)",
    "the loss is of something else": "q, h = model(x, h); p = other(x)",
    "by no module": "p, h = repackage(x, h)",
}


@pytest.mark.parametrize("body", CARRIED.values(), ids=CARRIED)
def test_what_is_carried_over_with_its_graph_is_gone_through_again(program: Program, body: str) -> None:
    code = CODE.format(body=body.replace("; ", "\n        "), arguments="retain_graph=True")

    assert program(code).reported(RULE) == ["loss.backward(retain_graph=True)"]


@pytest.mark.parametrize("body", NOT_CARRIED.values(), ids=NOT_CARRIED)
def test_what_is_not_carried_over_is_gone_through_once(program: Program, body: str) -> None:
    code = CODE.format(body=body.replace("; ", "\n        "), arguments="retain_graph=True")

    assert program(code).reported(RULE) == []


@pytest.mark.parametrize("arguments", ["", "retain_graph=False", "retain_graph=unknown()"])
def test_only_a_graph_that_is_retained_can_be_gone_through_again(program: Program, arguments: str) -> None:
    assert program(CODE.format(body="p, h = model(x, h)", arguments=arguments)).reported(RULE) == []
