"""What the names get into which something is unpacked that may be one thing or another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Literal, Tensor, Value

Program: TypeAlias = Callable[[str], Checkout]

GIVING = """
import torch
import other

def give(x, flag):
    if flag:
        return {pair}
    return {else_}

{target} = give(torch.rand(2), other.flag)
print(first)
"""
# Each is what a function gives, what it gives otherwise, what that is unpacked into, and what the first name may get.
TAKEN = {
    "a pair, and no rows of a tensor": ("1, 2", "torch.cat([other.x])", "first, second", {Literal(1)}),
    "a pair, and no triple": ("1, 2", "3, 4, 5", "first, second", {Literal(1)}),
    "two pairs": ("1, 2", "3, 4", "first, second", {Literal(1), Literal(3)}),
    "rows, for lack of a tuple that fits": ("1, 2, 3", "torch.cat([other.x])", "first, second", {Literal(1), Tensor()}),
    "any number": ("1, 2", "torch.cat([other.x])", "first, *second", {Literal(1), Tensor()}),
    "one of several targets": ("1, 2", "torch.cat([other.x])", "both = first, second", {Literal(1)}),
    "of nested ones, the outer": ("(1, 2), 3", "torch.cat([other.x])", "(first, second), third", {Literal(1)}),
}


@pytest.mark.parametrize(("pair", "else_", "target", "expected"), TAKEN.values(), ids=TAKEN)
def test_what_is_unpacked_has_as_many_items_as_names(
    program: Program, pair: str, else_: str, target: str, expected: set[Value]
) -> None:
    checkout = program(GIVING.format(pair=pair, else_=else_, target=target))

    assert set(checkout.values("first")) == expected


def test_an_attribute_gets_what_a_name_gets(program: Program) -> None:
    taking = "\nclass Kept:\n    def __init__(self, x):\n        self.first, self.second = give(x, other.flag)\n"
    asking = "\nkept = Kept(torch.rand(2))\nprint(kept.first)\n"

    checkout = program(
        GIVING.format(pair="1, 2", else_="torch.cat([other.x])", target="first, second") + taking + asking
    )

    assert checkout.literals("kept.first") == [1]
