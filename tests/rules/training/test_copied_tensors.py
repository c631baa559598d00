"""Which calls of `torch.tensor` are given a tensor, or a list of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "copied-tensor"
HEAD = "import torch\nx = torch.ones(2)\n"
DATA = {
    "a tensor": ("torch.tensor(x)", True),
    "by its name": ("torch.tensor(data=x)", True),
    "with a type": ("torch.tensor(x * 2, dtype=torch.float16)", True),
    "one of two": ("torch.tensor(x if y else x + 1)", True),
    "that a caller passes": ("def f(t): return torch.tensor(t)\nf(x)", True),
    "a list": ("w = torch.ones(2, requires_grad=True)\ntorch.tensor([w.sum(), w.mean()])", True),
    "a list of what is made for it": ("torch.tensor([torch.tensor(y) for y in z])", True),
    "the first of an iterator": ("torch.tensor(next([x].__iter__()))", True),
    "the next of an iterator": ("torch.tensor(iter([x]).__next__())", True),
    "an iterator of the project": ("class A:\n    def __iter__(self): return z\ntorch.tensor(A().__iter__())", False),
    "a list of numbers without graphs": ("torch.tensor([x.sum(), x.mean()])", False),
    "a list that is filled": (
        "found = []\nfor one in x:\n    found.append(torch.as_tensor(one))\ntorch.tensor(found)",
        True,
    ),
    "a number": ("torch.tensor(1.0)", False),
    "its number": ("torch.tensor(x.sum().item())", False),
    "its shape": ("torch.tensor(x.shape)", False),
    "its array": ("torch.tensor(x.numpy())", False),
    "what nobody knows": ("torch.tensor(thing)", False),
    "one or the other": ("torch.tensor(x if y else [1])", False),
    "a tensor among numbers": ("torch.tensor([x.sum(), 1.0])", False),
    "one of them again and again": ("torch.tensor([torch.tensor(1)] * 3)", False),
    "an empty list": ("torch.tensor([])", False),
    "what is asked about": ("if not torch.is_tensor(x):\n    torch.tensor(x)", False),
    "where it may raise": ("try:\n    torch.tensor(x)\nexcept Exception:\n    pass", False),
    "by what takes tensors": ("torch.as_tensor(x)", False),
}


@pytest.mark.parametrize(("code", "is_found"), DATA.values(), ids=DATA)
def test_what_surely_is_a_tensor_is_told_from_numbers(program: Program, code: str, is_found: bool) -> None:
    assert len(program(f"{HEAD}{code}\n").findings(RULE)) == is_found


COLLATED = """\
import torch
from torch.utils.data import DataLoader
def collate(rows, scale=1):
    sizes = []
    for row in rows:
        sizes.append(int(len(row) * scale))
    return {"rows": torch.stack(rows), "sizes": sizes, "more": {"names": ["a"]}}
"""
LOOP = "for batch in DataLoader([torch.rand(3)]{by}):\n    more = batch['more']\n    torch.tensor({data})\n"
PARTS = ["batch['sizes']", "batch['more']['names']", "more[0]", "batch[1]", "batch", "batch['sizes'][0]"]


@pytest.mark.parametrize("by", ["collate", "lambda rows: collate(rows, 2)", "unknown"])
@pytest.mark.parametrize("data", PARTS)
def test_what_a_collate_function_puts_together_may_be_no_tensors(program: Program, by: str, data: str) -> None:
    assert program(COLLATED + LOOP.format(by=f", collate_fn={by}", data=data)).findings(RULE) == []


@pytest.mark.parametrize("data", PARTS)
def test_without_one_all_of_a_batch_are_tensors(program: Program, data: str) -> None:
    assert len(program(COLLATED + LOOP.format(by="", data=data)).findings(RULE)) == 1
