"""Which dropout of a recurrent layer is never applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "rnn-dropout-without-effect"
CODE = """\
from torch import nn
class Net(nn.Module):
    def __init__(self, layers=1, rate=0.5):
        super().__init__()
        self.rnn = {made}
    def single(self, count):
        return nn.GRU(3, 3, count, dropout=0.5)
{below}
"""
MADE = {
    "nn.LSTM(3, 3, dropout=0.5)": True,
    "nn.GRU(3, 3, 1, True, False, 0.5)": True,
    "nn.RNN(3, 3, 1, 'relu', True, False, 0.5)": True,
    "nn.LSTM(3, 3, num_layers=1, dropout=rate)": True,
    "nn.LSTM(3, 3, dropout=0.5, bidirectional=True)": True,
    "nn.LSTM(3, 3, 2, dropout=0.5)": False,
    "nn.LSTM(3, 3, layers, dropout=rate)": False,
    "nn.LSTM(3, 3, dropout=0.0)": False,
    "nn.LSTM(3, 3, 1)": False,
    "nn.LSTM(3, 3, dropout=given)": False,
    "nn.LSTM(3, 3, dropout=0.5, **given)": False,
    "nn.LSTM(3, 3, 1, dropout=rate if layers > 1 else 0)": False,
    "nn.LSTMCell(3, 3)": False,
    "LSTM(3, 3, dropout=0.5)": False,
}


@pytest.mark.parametrize(("made", "is_found"), MADE.items(), ids=MADE)
def test_one_layer_has_none_to_drop_between(program: Program, made: str, is_found: bool) -> None:
    found = program(CODE.format(made=made, below="Net()")).findings(RULE)

    assert len(found) == is_found


def test_what_nobody_passes_is_open(program: Program) -> None:
    found = program(CODE.format(made="nn.LSTM(3, 3, dropout=rate)", below="")).findings(RULE)

    assert found == []


@pytest.mark.parametrize(("count", "is_found"), [("1", True), ("2", False), ("n", False)])
def test_a_number_of_layers_is_what_callers_pass(program: Program, count: str, is_found: bool) -> None:
    found = program(CODE.format(made="None", below=f"Net().single({count})")).findings(RULE)

    assert len(found) == is_found
