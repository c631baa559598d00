"""Modules that are called with a dict: under each key is what the caller put there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "numpy-of-device-tensor"

CALLED = """
    import numpy as np
    import torch
    from torch import nn
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 3, 3)
        def forward(self, data):
            top = np.max(data["{key}"])
            return self.conv(data["image"]) + top
    def main(loader, device):
        net = {net}
        for image, points in loader:
            net({{"image": image.cuda(), "points": points.numpy()}})
    """


@pytest.mark.parametrize("net", ["Net()", "Net().cuda()", "Net().to(device).train()"])
@pytest.mark.parametrize(("key", "reported"), [("image", ['top = np.max(data["image"])']), ("points", [])])
def test_what_is_under_one_key_is_not_under_another(program: Program, net: str, key: str, reported: list[str]) -> None:
    assert program(CALLED.format(net=net, key=key)).reported(RULE) == reported


def test_a_dict_that_nobody_is_seen_to_make_counts_as_one_tensor(program: Program) -> None:
    code = CALLED.format(net="build()", key="points")

    assert program(code).reported(RULE) == ['top = np.max(data["points"])']
