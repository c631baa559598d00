"""Where the result of a comparison is: with dimensions, a tensor on the host combines with nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import Tensor
from torchlint.model.values.value_sets import HOST

Program: TypeAlias = Callable[[str], Checkout]

_PROGRAM = """
import torch

def draw(chance, device):
    limit = torch.sigmoid(chance)
    there = torch.ones(3, device=device)
    return {comparison}
"""


@pytest.mark.parametrize(
    "comparison", ["torch.rand(1) <= limit", "limit > torch.rand(1)", "torch.rand(3) == limit", "0 < torch.rand(1)"]
)
def test_what_has_dimensions_on_the_host_is_compared_there(program: Program, comparison: str) -> None:
    found = program(_PROGRAM.format(comparison=comparison)).values(comparison)

    assert [one.device for one in found if isinstance(one, Tensor)] == [HOST]


@pytest.mark.parametrize("comparison", ["torch.rand(()) <= limit", "there < limit", "limit < chance", "limit > 0"])
def test_what_may_be_elsewhere_is_compared_anywhere(program: Program, comparison: str) -> None:
    found = program(_PROGRAM.format(comparison=comparison)).values(comparison)

    assert HOST not in [one.device for one in found if isinstance(one, Tensor)]


@pytest.mark.parametrize("bounds", ["0, 1", "cfg.low, cfg.high", "min=cfg.low", "max=cfg.high"])
@pytest.mark.parametrize("name", ["clip", "clamp"])
def test_bounds_leave_a_tensor_where_it_is(program: Program, name: str, bounds: str) -> None:
    call = f"torch.{name}(torch.sigmoid(chance).cpu(), {bounds})"
    found = program(_PROGRAM.format(comparison=call)).values(call)

    assert [one.device for one in found if isinstance(one, Tensor)] == [HOST]
