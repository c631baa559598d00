"""Whether the `train()` of one of several modules puts another one back into train mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "eval-mode-left-on"
CODE = """\
import torch
from torch import nn
from elsewhere import anything
def evaluate(encoder, decoder, loader):
    encoder.eval()
    decoder.eval()
    with torch.no_grad():
        return sum(decoder(encoder(x)).sum() for x in loader)
def main(loader):
    encoder = nn.Sequential(nn.Linear(4, 4), nn.Dropout())
    decoder = nn.Sequential(nn.Linear(4, 4), nn.Dropout())
    optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
    for epoch in range(9):
        encoder.train()
        for x in loader:
            optimizer.zero_grad()
            decoder(encoder(x)).mean().backward()
            optimizer.step()
        evaluate(encoder, decoder, loader)
main([torch.rand(2, 4)])
"""
DECODER = "    decoder = nn.Sequential(nn.Linear(4, 4), nn.Dropout())"
OF_OBJECT = """\
import torch
from torch import nn
class Trainer:
    def __init__(self):
        self.encoder = nn.Sequential(nn.Linear(4, 4), nn.Dropout())
        self.decoder = {made}
        self.optimizer = torch.optim.SGD([*self.encoder.parameters(), *self.decoder.parameters()], lr=0.1)
    def evaluate(self, loader):
        self.encoder.eval()
        self.decoder.eval()
        with torch.no_grad():
            return sum(self.decoder(self.encoder(x)).sum() for x in loader)
    def fit(self, loader):
        for epoch in range(9):
            {switch}
            for x in loader:
                self.optimizer.zero_grad()
                self.decoder(self.encoder(x)).mean().backward()
                self.optimizer.step()
            self.evaluate(loader)
Trainer().fit([torch.rand(2, 4)])
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (DECODER, DECODER, ["decoder.eval()"]),
        ("        encoder.train()", "        decoder.train()", ["encoder.eval()"]),
        ("        encoder.train()", "        encoder.train(True)", ["decoder.eval()"]),
        ("        encoder.train()", "        encoder.train()\n        decoder.train()", []),
        # One has the other, or may have it.
        (DECODER, "    decoder = nn.Sequential(nn.Linear(4, 4), nn.Dropout())\n    encoder.more = decoder", []),
        (DECODER, "    decoder = nn.Sequential(nn.Linear(4, 4), nn.Dropout())\n    encoder[1] = decoder", []),
        (DECODER, "    decoder = nn.Sequential(nn.Linear(4, 4), nn.Dropout())\n    encoder.append(decoder)", []),
        (DECODER, "    decoder = encoder", []),
        (DECODER, "    decoder = nn.Sequential(encoder, nn.Dropout())", []),
        ("        encoder.train()", "        both = nn.ModuleList([encoder, decoder])\n        both.train()", []),
        ("        encoder.train()", "        anything().train()", []),
    ],
)
def test_only_the_whole_of_a_module_puts_it_back(program: Program, old: str, new: str, expected: list[str]) -> None:
    assert CODE.count(old) == 1

    assert program(CODE.replace(old, new)).reported(RULE) == expected


@pytest.mark.parametrize(
    ("made", "switch", "expected"),
    [
        ("nn.Sequential(nn.Linear(4, 4), nn.Dropout())", "self.encoder.train()", ["self.decoder.eval()"]),
        ("nn.Sequential(nn.Linear(4, 4), nn.Dropout())", "self.encoder.train(); self.decoder.train()", []),
        ("nn.Sequential(self.encoder, nn.Dropout())", "self.decoder.train()", []),
        ("nn.Sequential(self.encoder, nn.Dropout())", "self.encoder.train()", []),
    ],
)
def test_attributes_of_one_object_are_modules_apart(
    program: Program, made: str, switch: str, expected: list[str]
) -> None:
    assert program(OF_OBJECT.format(made=made, switch=switch)).reported(RULE) == expected
