"""What a method stores in an attribute and replaces at once cannot be read elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent, indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

TRAINER = """
class Trainer:
    def set_up(self, asked):
{}
    def look(self):
        use(self.x)  # here
"""
UNSEEN = {
    "replaced at once": "self.x = 1\nself.x = 2",
    "replaced by what it is made into": "self.x = 1\nself.x = self.x + asked\nself.x = 2",
    "replaced between branches": "self.x = 1\nif asked:\n    self.x = 3\nself.x = 2",
    "replaced in both arms": "self.x = 1\nif asked:\n    self.x = 2\nelse:\n    self.x = 2",
    "handed on itself": "self.x = 1\nbroadcast(self.x)\nself.y.add_(self.x)\nself.x = 2",
    "looked at before": "self.look()\nself.x = 1\nself.x = 2",
    "looked at below": "self.x = 1\nself.x = 2\nself.look()",
    "a function inside that reads something else": "def plain(n):\n    return n\nself.x = plain(1)\nself.x = 2",
}
SEEN = {
    "not always replaced": "self.x = 1\nif asked:\n    self.x = 2",
    "left by a return": "self.x = 1\nif asked:\n    return\nself.x = 2",
    "looked at in between": "self.x = 1\nself.look()\nself.x = 2",
    "looked at to be replaced": "self.x = 1\nself.x = self.made() or 2\nself.x = 2",
    "looked at by what is given the object": "self.x = 1\nshow(self)\nself.x = 2",
    "looked at by what is inherited": "self.x = 1\nsuper().look()\nself.x = 2",
    "looked at in the next round": "for n in asked:\n    self.look()\n    self.x = 1\nself.x = 2",
    "a generator": "self.x = 1\nyield\nself.x = 2",
    "a function inside": "def show():\n    return self.x\nself.x = 1\nshow()\nself.x = 2",
    "a function inside that is given the object": "def show():\n    use(self)\nself.x = 1\nshow()\nself.x = 2",
    "of another object": "asked.x = 2\nself.x = 1\nasked.x = 2\nif asked:\n    self.x = 2",
}


def _found(program: Program, body: str) -> list[object]:
    return program(TRAINER.format(indent(body, " " * 8))).literals("self.x", mark="here")


@pytest.mark.parametrize("body", UNSEEN.values(), ids=UNSEEN)
def test_what_a_method_replaces_nobody_else_finds(program: Program, body: str) -> None:
    assert set(_found(program, body)) == {2}


@pytest.mark.parametrize("body", SEEN.values(), ids=SEEN)
def test_what_others_may_look_at_they_find(program: Program, body: str) -> None:
    assert {1, 2} <= set(_found(program, body))


FLAG = """
import torch
class Trainer:
    def __init__(self, net, device):
        self.net = net.to(device)
        self.device = device
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.on = torch.tensor(True).to(self.device)
        {}
    def fit(self):
        for x in torch.utils.data.DataLoader([]):
            with cast(self.on):
                self.net(x.to(self.device)).sum().backward()
            self.optimizer.step()
def cast(enabled):
    return torch.autocast("cuda", enabled=bool(enabled))
"""


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        ("self.on = bool(self.on)", []),
        ("self.off = bool(self.on)", ['return torch.autocast("cuda", enabled=bool(enabled))']),
    ],
)
def test_a_flag_that_was_a_tensor_while_it_was_made_is_none(program: Program, then: str, expected: list[str]) -> None:
    assert program(dedent(FLAG).format(then)).reported("item-in-training-loop") == expected
