"""What the constructors of bases are given for an object."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

BASE = """
class Base:
    def __init__(self, width, flag=False):
        self.width = width
        self.flag = flag

class Own(Base):
    def __init__(self, depth=1, **kwargs):
        {inherited}
        self.depth = depth

"""
CALLS = {
    "super": "super().__init__(7)",
    "super with names": "super(Own, self).__init__(7)",
    "the base": "Base.__init__(self, 7)",
    "by name": "super().__init__(width=7)",
    "with more": "super().__init__(7, **kwargs)",
}


@pytest.mark.parametrize("inherited", CALLS.values(), ids=CALLS)
def test_a_base_is_given_what_the_constructor_below_passes(program: Program, inherited: str) -> None:
    checkout = program(BASE.replace("{inherited}", inherited) + "made = Own(3)\nprint(made.width, made.flag)\n")

    assert checkout.literals("made.width") == [7]
    assert checkout.literals("made.flag") == [False]


@pytest.mark.parametrize(("call", "expected"), [("Own(3)", [3]), ("Own(depth=4)", [4]), ("Own()", [1])])
def test_a_base_is_given_what_is_handed_on(program: Program, call: str, expected: list[object]) -> None:
    checkout = program(BASE.replace("{inherited}", "super().__init__(depth)") + f"made = {call}\nprint(made.width)\n")

    assert checkout.literals("made.width") == expected


def test_a_keyword_goes_through_to_the_base(program: Program) -> None:
    text = BASE.replace("{inherited}", "super().__init__(7, **kwargs)")
    checkout = program(f"{text}made = Own(flag=True)\nother = Own()\nprint(made.flag, other.flag)\n")

    assert checkout.literals("made.flag") == [True]
    assert checkout.literals("other.flag") == [False]


CHOSEN = """
DEFAULT = False

class Base:
    def __init__(self, flag=None):
        self.flag = DEFAULT if flag is None else flag

class Between(Base):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def run(self):
        print(self.flag)

class Own(Between):
    pass

class Other(Base):
    pass

"""


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("Own()\nOther(flag=True)", [False]),
        ("Own(flag=True)\nOther()", [True]),
        ("Own()\nOwn(flag=True)", [False, True]),
    ],
)
def test_what_other_classes_are_given_is_not_what_one_chooses_by(
    program: Program, calls: str, expected: list[object]
) -> None:
    assert program(f"{CHOSEN}{calls}\n").literals("self.flag") == expected


SIDE_BY_SIDE = """
class Base:
    def __init__(self, flag=False):
        self.flag = flag

class First:
    def __init__(self, first=1, **kwargs):
        super().__init__(**kwargs)
        self.first = first

class Second(Base):
    def __init__(self, second=2, **kwargs):
        super().__init__(**kwargs)
        self.second = second

class Both(First, Second):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)

"""


@pytest.mark.parametrize(
    ("call", "expected"), [("Both()", [False]), ("Both(flag=True)", [True]), ("Both(first=True, second=3)", [False])]
)
def test_super_comes_to_the_class_beside(program: Program, call: str, expected: list[object]) -> None:
    assert program(f"{SIDE_BY_SIDE}made = {call}\nprint(made.flag)\n").literals("made.flag") == expected


DETECTOR = """
import torch
from torch import nn

class Proposing(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, 3, 3)

    def forward(self, x):
        scores = self.conv(x)
        print(scores.mean().item())
        return scores

class Detector(nn.Module):
    def __init__(self, proposing, classes=3):
        super().__init__()
        self.proposing = proposing

class SmallDetector(Detector):
    def __init__(self, width=3):
        proposing = Proposing(width)
        {inherited}

def train(loader):
    model = SmallDetector().cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x in loader:
        loss = model.proposing(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize("inherited", ["super().__init__(proposing)", "Detector.__init__(self, proposing, classes=2)"])
def test_a_part_that_a_base_is_given_is_called(program: Program, inherited: str) -> None:
    checkout = program(DETECTOR.replace("{inherited}", inherited))

    assert checkout.reported("item-in-training-loop") == ["print(scores.mean().item())"]


def test_what_a_base_does_with_what_it_is_given_is_followed_as_far_as_ever(program: Program) -> None:
    checkout = program("""
        def make(width):
            return width

        class Base:
            def __init__(self, width):
                self.width = make(width)

        class Own(Base):
            def __init__(self):
                super().__init__(7)

        class Other(Base):
            def __init__(self):
                super().__init__(8)

        made = Own()
        print(made.width)
    """)

    assert checkout.literals("made.width") == [7]
