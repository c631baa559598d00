"""What may be pinned: tensors on the host, and nothing that was moved already."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

LOADING = """\
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class Moving(Dataset):
    def __getitem__(self, index):
        return torch.ones(3).to(DEVICE), index
class Staying(Dataset):
    def __getitem__(self, index):
        return torch.ones(3), index
class Either(Dataset):
    def __init__(self, device):
        self.device = device
    def __getitem__(self, index):
        return torch.ones(3).to(self.device)
def moved(rows):
    return {{"x": torch.stack(rows).to(DEVICE), "n": len(rows)}}
def put_together(rows):
    return torch.stack(rows)
def loading(given):
    {pinned}
"""


def reported(program: Program, pinned: str) -> list[str]:
    return program(LOADING.format(pinned=pinned)).reported("pinned-device-tensor")


@pytest.mark.parametrize(
    "pinned",
    [
        "torch.ones(2).cuda().pin_memory()",
        "DataLoader(TensorDataset(torch.ones(2, 2).to(DEVICE)), pin_memory=True)",
        "DataLoader(TensorDataset(torch.ones(2), torch.ones(2).to(DEVICE)), pin_memory=torch.cuda.is_available())",
        "DataLoader(Moving(), pin_memory=True)",
        "DataLoader(Either(DEVICE), pin_memory=True)",
        "DataLoader(given, collate_fn=moved, pin_memory=True)",
    ],
)
def test_what_was_moved_cannot_be_pinned(program: Program, pinned: str) -> None:
    assert reported(program, pinned) == [pinned]


@pytest.mark.parametrize(
    "pinned",
    [
        "torch.ones(2).pin_memory().cuda()",
        "given.pin_memory()",
        "DataLoader(TensorDataset(torch.ones(2, 2)), pin_memory=True)",
        "DataLoader(TensorDataset(torch.ones(2, 2).to(DEVICE)), pin_memory=False)",
        "DataLoader(TensorDataset(torch.ones(2, 2).to(DEVICE)), pin_memory=DEVICE.type == 'cpu')",
        "DataLoader(TensorDataset(torch.ones(2, 2).to(DEVICE)), pin_memory=given)",
        "DataLoader(TensorDataset(torch.ones(2, 2).to(DEVICE)), pin_memory=True, collate_fn=given)",
        "DataLoader(Moving(), pin_memory=True, collate_fn=put_together)",
        "DataLoader(given, pin_memory=True, collate_fn=moved if given else put_together)",
        "DataLoader(TensorDataset(torch.ones(2, 2).to(DEVICE)), **given)",
        "DataLoader(Staying(), pin_memory=True)",
        "DataLoader(Either(given), pin_memory=True)",
        "DataLoader(Moving() if given else Staying(), pin_memory=True)",
        "DataLoader(given, pin_memory=True)",
    ],
)
def test_what_is_on_the_host_or_may_be_is_left_alone(program: Program, pinned: str) -> None:
    assert reported(program, pinned) == []
