"""What is said to make a mask, against torch."""

from __future__ import annotations

import operator
from typing import Any

import pytest

from torchlint.pytorch.comparisons import COMPARISONS, MASKING

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")

_ALONE = frozenset({"bool", "isfinite", "isinf", "isnan", "logical_not", "signbit"})


@pytest.mark.parametrize("name", sorted(MASKING))
def test_the_result_is_of_truth_values(name: str) -> None:
    tensor = torch.tensor([1.0, -1.0])

    found = getattr(tensor, name)(*() if name in _ALONE else (tensor,))

    assert (found.dtype, found.shape) == (torch.bool, tensor.shape)


@pytest.mark.parametrize("name", sorted(COMPARISONS))
def test_an_operator_has_the_same_result(name: str) -> None:
    left, right = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, 2.0, 2.0])

    assert torch.equal(getattr(left, name)(right), getattr(operator, name)(left, right))
