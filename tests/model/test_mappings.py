"""Modules that are called with a dict or tuple: under each key is what the caller put there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

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


PAIR = """
    import numpy as np
    import torch
    from torch import nn
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(3, 3, 3)
        def forward(self, pair, scale):
            {taken}
            top = np.max(-lengths)
            return rows + top
        def encode(self, rows, sizes):
            lengths = np.array(sizes)
            return {call}
    net = Net().cuda()
    """
TAKEN = ["rows, lengths = pair", "rows = pair[0]\n            lengths = pair[1]", "(rows, lengths), scale = pair, 2"]
CALLS = ["self.forward(({}), 1)", "self(({}), 1)", "net(pair=({}), scale=1)", "net.forward([{}], 2)"]
HOST = ["rows.cuda(), lengths[0:3]", "rows.cuda(), np.array(sizes)"]


@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("given", HOST)
def test_an_array_in_a_tuple_is_no_tensor(program: Program, taken: str, call: str, given: str) -> None:
    assert program(PAIR.format(taken=taken, call=call.format(given))).reported(RULE) == []


@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("given", ["rows.cuda(), rows.sum(0).cuda()", "lengths[0:3], rows.cuda()"])
def test_a_tensor_in_a_tuple_is_where_it_was_moved(program: Program, taken: str, call: str, given: str) -> None:
    assert program(PAIR.format(taken=taken, call=call.format(given))).reported(RULE) == ["top = np.max(-lengths)"]


def test_a_tuple_that_nobody_is_seen_to_make_counts_as_one_tensor(program: Program) -> None:
    code = PAIR.format(taken=TAKEN[0], call="self.forward(rows, 1)")

    assert program(code).reported(RULE) == ["top = np.max(-lengths)"]
