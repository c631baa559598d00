"""Items that are compared one by one: they have no dimensions, and may be on two devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.verify import simulated_cuda

Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(8, 4), torch.randint(2, (8,))), batch_size=4)
net = nn.Linear(4, 2).cuda()
for images, labels in loader:
    predicted = net(images.cuda()).argmax(1)
    """

COMPARED = {
    "hits = [1 if predicted[j] == labels[j] else 0 for j in range(4)]": False,
    "hits = [j for j in range(4) if not predicted[j] == labels[j]]": False,
    "if predicted[0] != labels[0] and len(labels) > 1:\n        print(labels)": False,
    "assert predicted[-1 + 3] == labels[2]": False,
    # Whole batches are compared, or what is left of them.
    "hits = (predicted == labels).sum()": True,
    "if (predicted == labels).all():\n        print(labels)": True,
    "if predicted[:1] == labels[:1]:\n        print(labels)": True,
    # No truth is asked for: the items may be rows.
    "hits = net(images.cuda())[0] - images[0, :2]": True,
}


@pytest.mark.parametrize("line", COMPARED)
def test_an_item_whose_truth_is_asked_for_may_be_on_another_device(program: Program, line: str) -> None:
    assert bool(program(f"{HEAD}{line}\n").reported("unmoved-batch")) == COMPARED[line]


def test_pytorch_compares_items_on_two_devices() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch itself is asked")

    with simulated_cuda():
        here, there = torch.arange(3), torch.arange(3).cuda()
        assert [i for i in range(3) if there[i] == here[i]] == [0, 1, 2]
        with pytest.raises(RuntimeError, match="same device"):
            there.eq(here)
