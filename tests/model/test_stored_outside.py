"""What others put into an attribute of an object counts as well as what its own class puts there."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

DROP = """
from torch import nn
class Drop(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = 0
        self.rate = 0
    def forward(self, x):
        return x * self.p  # here
class Other:
    def __init__(self):
        self.p = 0
"""
REACHING = {
    "an object that is known": """
        drop = Drop()
        drop.p = 2
        """,
    "an object that a test tells": """
        def set_rate(net):
            for module in net.modules():
                if isinstance(module, (nn.Linear, Drop)):
                    module.p = 2
        """,
    "an object of a class below": """
        class Twice(Drop):
            pass
        Twice().p = 2
        """,
}
OTHER = {
    "an object of another class": """
        other = Other()
        other.p = 2
        """,
    "an object that a test tells to be another": """
        def set_rate(net):
            for module in net.modules():
                if isinstance(module, Other):
                    module.p = 2
        """,
    "an object that a test tells not to be one": """
        def set_rate(net):
            for module in net.modules():
                if not isinstance(module, Drop):
                    module.p = 2
        """,
    "another attribute": """
        drop = Drop()
        drop.rate = 2
        """,
}


@pytest.mark.parametrize("text", REACHING.values(), ids=REACHING)
def test_what_others_put_there_is_found(program: Program, text: str) -> None:
    assert set(program(DROP + dedent(text)).literals("self.p", mark="here")) == {0, 2}


@pytest.mark.parametrize("text", OTHER.values(), ids=OTHER)
def test_what_is_put_elsewhere_is_not(program: Program, text: str) -> None:
    assert set(program(DROP + dedent(text)).literals("self.p", mark="here")) == {0}


def test_a_flag_that_another_file_sets_keeps_nothing_back(project_of: ProjectOf) -> None:
    files = {
        "net.py": """
            import torch
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.is_noisy = False
                def forward(self, x):
                    if self.is_noisy:
                        x = x + torch.randn(2).cuda()
                    return x
            """,
        "main.py": """
            from net import Net
            net = Net()
            {}
            net(3)
            """,
    }
    named = {name: dedent(text) for name, text in files.items()}
    set_by_main = {**named, "main.py": named["main.py"].format("net.is_noisy = True")}
    assert project_of(set_by_main).reported("hardcoded-cuda", "net.py") == ["x = x + torch.randn(2).cuda()"]
    left_alone = {**named, "main.py": named["main.py"].format("")}
    assert not project_of(left_alone).reported("hardcoded-cuda", "net.py")
