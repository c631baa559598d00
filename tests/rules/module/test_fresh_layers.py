"""Which layers are built with every `forward`, and used there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "layer-built-in-forward"
CODE = """\
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.linear = nn.Linear(n, n)
class Around(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
def blend(x):
    return {helper}
class Net({base}):
    def forward(self, x):
        {body}
    def built(self, x):
        return nn.Linear(3, 3)(x)
"""
KINDS = {
    "nn.Linear(3, 3)": True,
    "nn.Conv2d(3, 3, 1)": True,
    "nn.Embedding(3, 3)": True,
    "nn.LayerNorm(3)": True,
    "nn.LayerNorm(3, elementwise_affine=False)": False,
    "nn.BatchNorm2d(3)": True,
    "nn.BatchNorm2d(3, affine=False, track_running_stats=False)": False,
    "nn.InstanceNorm2d(3)": False,
    "nn.Dropout()": True,
    "nn.Dropout(0)": False,
    "nn.Sequential(nn.Linear(3, 3), nn.ReLU())": True,
    "nn.Linear(3, 3).to(x.device)": True,
    "nn.Linear(3, 3).eval()": False,
    "nn.ReLU()": False,
    "nn.Softmax(dim=1)": False,
    "nn.CrossEntropyLoss()": False,
    "Block(3)": True,
    "Around(self.net)": False,
    "make(nn.Linear(3, 3))": False,
}
USES = {
    "at once": ("return nn.Linear(3, 3)(x)", True),
    "by a name": ("f = nn.Linear(3, 3)\n        return f(f(x))", True),
    "in a loop": ("for _ in range(3): x = nn.Linear(3, 3)(x)\n        return x", True),
    "by an attribute": ("self.f = nn.Linear(3, 3)\n        return self.f(x)", True),
    "by an attribute behind a test": ("if self.f is None: self.f = nn.Linear(3, 3)\n        return self.f(x)", False),
    "by an attribute that is given weights": (
        "self.f = nn.Linear(3, 3)\n        self.f.weight.data.zero_()\n        return self.f(x)",
        False,
    ),
    "with weights of its own": (
        "f = nn.Linear(3, 3)\n        f.load_state_dict(self.weights)\n        return f(x)",
        False,
    ),
    "handed on": ("f = nn.Linear(3, 3)\n        fill(f)\n        return f(x)", False),
    "returned": ("return nn.Linear(3, 3)", False),
    "put away": ("self.layers[x.shape] = nn.Linear(3, 3)\n        return x", False),
    "of one of two kinds": ("f = nn.Linear(3, 3)\n        if x.ndim: f = self.f\n        return f(x)", False),
    "in a method": ("return self.built(x)", True),
    "dropout in training": ("if self.training: x = nn.Dropout()(x)\n        return x", False),
    "weights in training": ("if self.training: x = nn.Linear(3, 3)(x)\n        return x", True),
}


@pytest.mark.parametrize(("layer", "is_found"), KINDS.items(), ids=KINDS)
def test_a_layer_has_weights_or_a_mode(program: Program, layer: str, is_found: bool) -> None:
    code = CODE.format(helper="x", base="nn.Module", body=f"return {layer}(x)")

    assert len(program(code).findings(RULE)) == is_found


@pytest.mark.parametrize(("body", "is_found"), USES.values(), ids=USES)
def test_a_layer_is_called_as_it_was_built(program: Program, body: str, is_found: bool) -> None:
    code = CODE.format(helper="x", base="nn.Module", body=body)

    assert len(program(code).findings(RULE)) == is_found


@pytest.mark.parametrize(("body", "is_found"), [("return blend(x)", True), ("return x", False)])
def test_a_function_builds_layers_where_a_forward_calls_it(program: Program, body: str, is_found: bool) -> None:
    code = CODE.format(helper="nn.Linear(3, 3)(x)", base="nn.Module", body=body)

    assert len(program(code).findings(RULE)) == is_found


def test_a_forward_that_is_no_modules_is_not_called_with_every_batch(program: Program) -> None:
    code = CODE.format(helper="x", base="object", body="return nn.Linear(3, 3)(x)")

    assert program(code).findings(RULE) == []
