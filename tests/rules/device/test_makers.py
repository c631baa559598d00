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
