"""Tensors that a function of the project makes for a module: tables, masks and biases."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "unregistered-tensor"
MAKER = """\
import torch
from torch import nn

def ones(n):
    return torch.ones(n, n)

def causal(n):
    return ones(n).tril()

def known(n):
    return n * 2
"""
MODULE = """\
class Attention(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.head = nn.Linear(n, n)
        self.mask = {made}

    def forward(self, x):
        return self.head(x) * self.mask

net = Attention(4).cuda()
"""


@pytest.mark.parametrize("made", ["ones(n)", "causal(n)", "causal(n)[None]", "1 - causal(n)"])
def test_a_function_of_the_file_makes_what_the_module_keeps(program: Program, made: str) -> None:
    assert program(MAKER + MODULE.format(made=made)).reported(RULE) == [f"self.mask = {made}"]


@pytest.mark.parametrize("made", ["known(n)", "nn.Parameter(causal(n))", "causal(n).tolist()"])
def test_what_is_no_tensor_or_registered_is_none(program: Program, made: str) -> None:
    assert program(MAKER + MODULE.format(made=made)).reported(RULE) == []


@pytest.mark.parametrize(
    ("imported", "made"),
    [
        ("from masks import causal", "causal(n)"),
        ("from masks import causal as mask", "mask(n)"),
        ("import masks", "masks.causal(n)"),
        ("import masks as m", "m.causal(n)"),
    ],
)
def test_a_function_of_another_file_makes_it_as_well(project_of: ProjectOf, imported: str, made: str) -> None:
    code = f"import torch\nfrom torch import nn\n{imported}\n{MODULE.format(made=made)}"
    checkout = project_of({"main.py": code, "masks.py": MAKER})

    assert checkout.reported(RULE) == [f"self.mask = {made}"]


LAYER = """\
import torch
import torch.nn.functional as F
from torch import nn

class Masked({base}):
    def __init__(self, *given):
        super().__init__(*given)
        self.mask = {mask}

    def forward(self, x):
        return {output}

net = Masked(4, 4, 1).cuda()
"""


@pytest.mark.parametrize(
    ("base", "output"),
    [
        ("nn.Linear", "F.linear(x, self.mask * self.weight, self.bias)"),
        ("nn.Conv2d", "F.conv2d(x, self.weight * self.mask, self.bias)"),
        ("nn.Embedding", "F.embedding(x, self.weight * self.mask)"),
    ],
)
def test_a_class_of_a_layer_has_its_weight(program: Program, base: str, output: str) -> None:
    code = LAYER.format(base=base, output=output, mask="torch.ones(4, 4)")

    assert program(code).reported(RULE) == ["self.mask = torch.ones(4, 4)"]


@pytest.mark.parametrize(
    ("mask", "output"),
    [
        ("torch.tensor(2.0)", "F.linear(x, self.mask * self.weight)"),
        ("nn.Parameter(torch.ones(4, 4))", "F.linear(x, self.mask * self.weight)"),
        ("torch.ones(4, 4)", "F.linear(x, self.mask.to(self.weight) * self.weight)"),
        ("torch.ones(4, 4)", "F.linear(x, self.weight) + self.mask.shape[0]"),
    ],
)
def test_what_meets_the_weight_is_there_or_a_number(program: Program, mask: str, output: str) -> None:
    assert program(LAYER.format(base="nn.Linear", output=output, mask=mask)).reported(RULE) == []
