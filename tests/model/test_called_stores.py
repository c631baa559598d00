"""What a call puts into an attribute whose name it says is there, as if it were assigned."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent, indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

CODE = """
from torch import nn
class Net(nn.Module):
    def __init__(self, name):
        super().__init__()
{}
    def forward(self, x):
        return self.head  # here
"""
PUT = {
    "a module that is added": 'self.add_module("head", 2)',
    "a module that is registered": 'self.register_module("head", 2)',
    "what is set by its name": 'setattr(self, "head", 2)',
}
ELSEWHERE = {
    "another name": 'self.add_module("tail", 2)',
    "a name that is computed": "self.add_module(name, 2)",
    "another object": 'head = nn.Sequential()\nhead.add_module("head", 2)',
}


def _found(program: Program, body: str) -> list[object]:
    return program(CODE.format(indent(body, " " * 8))).literals("self.head", mark="here")


@pytest.mark.parametrize("body", PUT.values(), ids=PUT)
def test_it_is_there(program: Program, body: str) -> None:
    assert _found(program, body) == [2]


@pytest.mark.parametrize("body", ELSEWHERE.values(), ids=ELSEWHERE)
def test_it_is_not(program: Program, body: str) -> None:
    assert 2 not in _found(program, body)


def test_a_wrapper_that_is_added_is_saved_by_the_class_above(program: Program) -> None:
    checkout = program(
        dedent("""
        import torch
        from torch import nn
        class Base(nn.Module):
            def save(self, path):
                torch.save(self.net.state_dict(), path)
                torch.save(self.bare.state_dict(), path)
        class Model(Base):
            def __init__(self):
                super().__init__()
                net = nn.Linear(2, 2)
                self.add_module("bare", net)
                self.add_module("net", nn.DataParallel(net))
        Model().save("net.pt")
        """)
    )
    assert checkout.reported("wrapped-state-dict") == ["torch.save(self.net.state_dict(), path)"]
