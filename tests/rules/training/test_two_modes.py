"""Which modules compute something else in eval mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from rules.training.detectors.two_modes import has_modes
from tests.checkout import Checkout
from torchlint.model.worlds import ANYWHERE

Program: TypeAlias = Callable[[str], Checkout]
CODE = """\
import foreign, timm, torch
from torch import nn
from torch.nn import functional as F
def block(layer):
    return nn.Sequential(nn.Linear(2, 2), layer)
def noisy(x, is_training):
    return F.dropout(x, training=is_training)
class Inner(nn.Module):
    def __init__(self, layer, size=2):
        super().__init__()
        self.layer, self.size = layer, size
    def forward(self, x):
        return self.layer(x)
class Net(nn.Module):
    def __init__(self, encoder, width):
        super().__init__()
        self.width = width
        self.layers = {layers}
    def forward(self, x):
        return {forward}
net = Net(nn.Linear(2, 2), 3)
"""
TWO = {
    "dropout": ("nn.Dropout(0.1)", ""),
    "a batch norm among others": ("nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))", ""),
    "in a module of the project": ("Inner(nn.Dropout())", ""),
    "by a function": ("block(nn.BatchNorm1d(2))", ""),
    "in a recurrent layer": ("nn.LSTM(2, 2, 2, dropout=0.1)", ""),
    "a transformer": ("nn.TransformerEncoderLayer(2, 2)", ""),
    "it asks for its mode": ("nn.Linear(2, 2)", "x * 2 if self.training else x"),
    "a function drops": ("nn.Linear(2, 2)", "noisy(x, True)"),
    "of a package of models": ("timm.create_model('resnet18')", ""),
    "a class that nobody knows": ("foreign.Block(2)", ""),
}
ONE = {
    "linear layers": ("nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.LayerNorm(2))", ""),
    "in a module of the project": ("Inner(nn.Linear(2, 2))", ""),
    "by a function": ("block(nn.ReLU())", ""),
    "a recurrent layer": ("nn.LSTM(2, 2)", ""),
    "a function that nobody knows": ("foreign.size_of(2)", ""),
    "what it is given": ("encoder", ""),
}


def _asked(program: Program, layers: str, forward: str) -> bool:
    project = program(CODE.format(layers=layers, forward=forward or "self.layers(x)") + "use(net)\n")
    return has_modes(project.project.evaluator(ANYWHERE), project.place("net"))


@pytest.mark.parametrize(("layers", "forward"), TWO.values(), ids=TWO)
def test_a_layer_with_two_modes_gives_the_module_two(program: Program, layers: str, forward: str) -> None:
    assert _asked(program, layers, forward)


@pytest.mark.parametrize(("layers", "forward"), ONE.values(), ids=ONE)
def test_layers_with_one_mode_give_it_one(program: Program, layers: str, forward: str) -> None:
    assert not _asked(program, layers, forward)


def test_a_module_that_nobody_knows_may_have_two(program: Program) -> None:
    project = program("from elsewhere import make\nnet = make()\nuse(net)\n")

    assert has_modes(project.project.evaluator(ANYWHERE), project.place("net"))
