"""Which tensors have dimensions for sure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.tensors.dimensions import has_dimensions
from torchlint.model.worlds import ANYWHERE

Program: TypeAlias = Callable[[str], Checkout]


def are_shaped(program: Program, text: str) -> list[bool]:
    place = program(f"import torch\n{text}\nresult = x\nresult").place("result")
    ev = place.file.project.evaluator(ANYWHERE)
    return [has_dimensions(ev, one) for one in ev.evaluate(place)]


@pytest.mark.parametrize(
    "code",
    [
        "x = torch.arange(9)[torch.arange(3)]",
        "x = torch.arange(9)\nx = x[x > 2]",
        "x = torch.arange(9)[None]",
    ],
)
def test_an_index_with_dimensions_leaves_one(program: Program, code: str) -> None:
    assert are_shaped(program, code) == [True]


def test_a_number_as_index_need_not(program: Program) -> None:
    assert are_shaped(program, "x = torch.arange(9)[torch.tensor(3)]") == [False]


def test_an_index_that_comes_from_what_it_picks_from_ends(program: Program) -> None:
    code = """
starts = torch.arange(9)
x = starts.nonzero()
lengths = torch.arange(9)
while x.size(0) > 0:
    lengths -= starts[x + 1].long()
    left = lengths >= 0
    x = x[left] + 1
    lengths = lengths[left]
"""

    assert are_shaped(program, code)
