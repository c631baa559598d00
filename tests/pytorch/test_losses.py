"""Which losses are means, asked of PyTorch."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from torchlint.pytorch.losses import MEAN_LOSS_FUNCTIONS, MEAN_LOSSES

torch: Any = pytest.importorskip("torch", reason="the losses are PyTorch's")


def test_the_classes_are_all_that_take_a_mean_by_default() -> None:
    losses = {
        f"torch.nn.{name}" for name in dir(torch.nn) if name.endswith("Loss") and takes_mean(getattr(torch.nn, name))
    }

    # CTCLoss weighs by lengths, and KLDivLoss divides by the elements and not by the batch.
    others = {"CTCLoss", "KLDivLoss", "NLLLoss2d", "TripletMarginWithDistanceLoss", "LinearCrossEntropyLoss"}
    assert losses - {f"torch.nn.{name}" for name in others} == MEAN_LOSSES


@pytest.mark.parametrize("name", sorted(MEAN_LOSS_FUNCTIONS))
def test_the_functions_take_a_mean_by_default(name: str) -> None:
    assert takes_mean(getattr(torch.nn.functional, name.rpartition(".")[2]))


def takes_mean(function: Any) -> bool:
    parameter = inspect.signature(function).parameters.get("reduction")
    return parameter is not None and parameter.default == "mean"
