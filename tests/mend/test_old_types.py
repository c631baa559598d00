"""Tensors of old types, which take no device: made by `torch.tensor` where that is the same, else left as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mend.fixing import mended_text

_NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        scale = {made}
        return x * scale


model = Net().to(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
"""
MADE = {
    "values": ("torch.IntTensor([2, 3])", "torch.tensor([2, 3], dtype=torch.int32, device=x.device)"),
    "values of another type": ("torch.DoubleTensor([2])", "torch.tensor([2], dtype=torch.float64, device=x.device)"),
    "a size": ("torch.FloatTensor(2, 3)", "torch.FloatTensor(2, 3)"),
    "what may be either": ("torch.LongTensor(self.sizes)", "torch.LongTensor(self.sizes)"),
    "the type that is the default": ("torch.Tensor([2.0, 3.0])", "torch.Tensor([2.0, 3.0])"),
    "a factory": ("torch.ones(2)", "torch.ones(2, device=x.device)"),
}


@pytest.mark.parametrize(("made", "there"), MADE.values(), ids=MADE)
def test_a_tensor_is_made_where_the_other_one_is(made: str, there: str, tmp_path: Path) -> None:
    assert f"        scale = {there}\n" in mended_text(tmp_path, _NET.format(made=made), "default-device-tensor")


@pytest.mark.parametrize(
    ("made", "there"),
    [
        ("torch.FloatTensor([1.5])", "torch.tensor([1.5], dtype=torch.float32, device=device)"),
        ("torch.FloatTensor(3)", "torch.FloatTensor(3)"),
    ],
    ids=["values", "a size"],
)
def test_a_leaf_is_made_there(made: str, there: str, tmp_path: Path) -> None:
    text = (
        'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
        f"weight = {made}.requires_grad_().to(device)\noptimizer = torch.optim.SGD([weight], lr=0.1)\n"
    )

    assert f"weight = {there}.requires_grad_()" in mended_text(tmp_path, text, "lost-leaf")
