"""Containers in a list that wrap layers which are registered already, and those that have layers of their own."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "unregistered-module"
CODE = """\
import copy
from collections import OrderedDict
import torch
from torch import nn
from torchvision.models import resnet18

def wrap(part):
    return nn.Sequential(part, nn.ReLU())

class Net(nn.Module):
    def __init__(self, given, made=None):
        super().__init__()
        self.a, self.b = nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8)
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))
        net = resnet18()
{body}

    def own(self, part):
        return nn.Sequential(part, nn.ReLU())

    def forward(self, x):
        return [part(x) for part in self.parts]

print(Net([]).to("cuda")(torch.ones(1, 3, 9, 9, device="cuda")))
"""
REGISTERED = {
    "each alone": "self.parts = [nn.Sequential(part) for part in self.features]",
    "in a loop": "self.parts = []\nfor part in self.features:\n    self.parts.append(nn.Sequential(part, nn.ReLU()))",
    "by their numbers": "self.parts = [nn.Sequential(part) for i, part in enumerate(self.features)]",
    "slices": "self.parts = [self.features[:2], self.features[2:]]",
    "all": "self.parts = list(self.features)",
    "the layers of slices": "self.parts = [nn.Sequential(*self.features[:2]), nn.Sequential(*self.features[2:])]",
    "the layers of a copied list": "parts = list(self.features)\nself.parts = [nn.Sequential(*parts[:2]), nn.ReLU()]",
    "children": "self.parts = [nn.Sequential(*list(self.features.children())[:-1])]",
    "attributes": "self.parts = [nn.Sequential(self.a, self.b)]",
    "attributes beside a function": "self.parts = [nn.Sequential(self.a, nn.ReLU()), nn.Sequential(self.b)]",
    "containers in containers": "self.parts = [nn.Sequential(nn.Sequential(self.a), self.b)]",
    "a list of attributes": "self.parts = [nn.ModuleList([self.a, self.b])]",
    "in a dict": "self.parts = {'a': nn.Sequential(self.a), 'b': nn.Sequential(*self.features)}",
    "by another name": "part = self.a\nself.parts = [nn.Sequential(part, nn.ReLU())]",
    "by a function": "self.parts = [wrap(self.a), wrap(self.features[0])]",
    "by a method": "self.parts = [self.own(part) for part in self.features]",
    "of a network that is registered": "self.net = net\nself.parts = [nn.Sequential(net.conv1, net.bn1), nn.ReLU()]",
    "children of a network that is": "self.net = net\nself.parts = [nn.Sequential(part) for part in net.children()]",
    "by names, in order": "self.parts = [nn.Sequential(OrderedDict([('a', self.a), ('b', self.b)])), nn.ReLU()]",
    "by names in a dict": "self.parts = [nn.Sequential(OrderedDict({'a': self.a})), nn.ModuleDict({'b': self.b})]",
    "what is passed in": "self.parts = [nn.Sequential(part) for part in given]",
}
HIDDEN = {
    "a layer beside each": "self.parts = [nn.Sequential(part, nn.Conv2d(8, 8, 3)) for part in self.features]",
    "a layer in one": "self.parts = [nn.Sequential(self.a), nn.Sequential(nn.Conv2d(8, 8, 3))]",
    "a layer further in": "self.parts = [nn.Sequential(self.a, nn.Sequential(nn.Conv2d(8, 8, 3))), self.b]",
    "a layer among names": "self.parts = [nn.Sequential(OrderedDict([('a', self.a), ('c', nn.Linear(8, 8))])), self.b]",
    "a layer that is added": "part = nn.Sequential(self.a)\npart.append(nn.Conv2d(8, 8, 3))\nself.parts = [part, self.b]",
    "copies": "self.parts = [nn.Sequential(nn.Conv2d(8, 8, 3), copy.deepcopy(self.a)), self.b]",
    "layers of a list": "parts = [nn.Conv2d(3, 8, 3)]\nself.parts = [nn.Sequential(*parts), nn.ReLU()]",
    "what replaces a parameter": "made = nn.Conv2d(3, 8, 3)\nself.parts = [nn.Sequential(made), nn.ReLU()]",
    "by a function": "self.parts = [wrap(self.a), wrap(nn.Conv2d(3, 8, 3))]",
    "by a method": "self.parts = [self.own(nn.Conv2d(3, 8, 3)) for part in self.features]",
    "of a network that is not": "self.parts = [nn.Sequential(net.conv1, net.bn1), nn.ReLU()]",
    "children of a network that is not": "self.parts = [nn.Sequential(part) for part in net.children()]",
}


@pytest.mark.parametrize("body", REGISTERED.values(), ids=REGISTERED)
def test_a_container_of_registered_layers_hides_none(program: Program, body: str) -> None:
    assert program(CODE.format(body=indent(body, " " * 8))).findings(RULE) == []


@pytest.mark.parametrize("body", HIDDEN.values(), ids=HIDDEN)
def test_a_container_with_a_layer_of_its_own_hides_it(program: Program, body: str) -> None:
    assert len(program(CODE.format(body=indent(body, " " * 8))).findings(RULE)) == 1
