"""What `*args` and `**kwargs` pass for a parameter, and what they leave to its default."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

HANDING_ON = """
def inner(x, flag=False):
    print(flag)

def outer({taking}):
    inner({giving})

{call}
"""
HANDED = {
    "by nobody": ("x, **kwargs", "x, **kwargs", "outer(1)", [False]),
    "by name": ("x, **kwargs", "x, **kwargs", "outer(1, flag=True)", [True]),
    "something else": ("x, width, **kwargs", "x, **kwargs", "outer(1, width=2)", [False]),
    "nothing by position": ("*args", "*args", "outer(1)", [False]),
    "by position": ("*args", "*args", "outer(1, True)", [True]),
    "neither way": ("*args, **kwargs", "*args, **kwargs", "outer(1)", [False]),
    "by position, or by name": ("*args, **kwargs", "*args, **kwargs", "outer(1, flag=True)", [True]),
    "by some": ("x, **kwargs", "x, **kwargs", "outer(1)\nouter(1, flag=True)", [False, True]),
}
UNSEEN = {
    "what somebody unpacks": ("x, **kwargs", "x, **kwargs", "outer(1, **more)"),
    "more than a dict": ("x, more, **kwargs", "x, **kwargs, **more", "outer(1, 2)"),
    "what is put there": ("x, **kwargs", "x, **(kwargs | more)", "outer(1)"),
    "what is spread": ("*args, **kwargs", "*args, **kwargs", "outer(*more)"),
    "as nobody calls": ("x, **kwargs", "x, **kwargs", ""),
    "by whoever is given it": ("x, **kwargs", "x, **kwargs", "more.map(outer, [1])"),
}


@pytest.mark.parametrize(("taking", "giving", "call", "expected"), HANDED.values(), ids=HANDED)
def test_what_is_not_unpacked_is_the_default(
    program: Program, taking: str, giving: str, call: str, expected: list[object]
) -> None:
    checkout = program(HANDING_ON.format(taking=taking, giving=giving, call=call))

    assert checkout.literals("flag") == expected


@pytest.mark.parametrize("back", ["", "    hand149(x, **kwargs)\n"], ids=["a chain", "a ring"])
def test_keywords_arrive_from_however_far_they_are_handed_on(program: Program, back: str) -> None:
    between = "".join(
        f"def hand{i}(x, **kwargs):\n    hand{i - 1}(x, **kwargs)\n{back if i == 1 else ''}" for i in range(1, 150)
    )
    first = "def hand0(x, flag=False):\n    print(flag)\n"
    checkout = program(f"{first}{between}hand149(1)\nhand140(1, flag=True)\n")

    assert checkout.literals("flag") == [False, True]


@pytest.mark.parametrize(("taking", "giving", "call"), UNSEEN.values(), ids=UNSEEN)
def test_what_may_be_unpacked_unseen_is_not_known(program: Program, taking: str, giving: str, call: str) -> None:
    checkout = program(HANDING_ON.format(taking=taking, giving=giving, call=call))

    assert checkout.place("flag").truth() is None


def test_what_the_function_puts_there_before_it_hands_it_on_is_no_default(program: Program) -> None:
    checkout = program(
        HANDING_ON.format(taking="x, **kwargs", giving="x, **kwargs", call="outer(1)").replace(
            "    inner(", "    kwargs['flag'] = x\n    inner("
        )
    )

    assert checkout.place("flag").truth() is None


CALLED_BY_MANY = """
def inner(x, flag=False):
    print(flag)

def outer(x, **kwargs):
    inner(x, **kwargs)

"""


@pytest.mark.parametrize(("last", "expected"), [("outer(0)", False), ("outer(0, flag=more)", None)])
def test_all_callers_say_what_is_left_to_a_default(program: Program, last: str, expected: bool | None) -> None:
    calls = "".join(f"outer({number})\n" for number in range(1, 30))

    assert program(f"{CALLED_BY_MANY}{calls}{last}\n").place("flag").truth() is expected


FLAGGED = """
import torch
from torch import nn

class Recording(nn.Module):
    def __init__(self, recording=False):
        super().__init__()
        self.recording = recording

    def record(self, x):
        if self.recording:
            self.mean = x.mean().item()

class Scaled(Recording):
    def __init__(self, scale, **kwargs):
        super().__init__(**kwargs)
        self.scale = scale

    def forward(self, x):
        self.record(x)
        return (x * self.scale).mean()

class Unused(Scaled):
    def __init__(self, **kwargs):
        super().__init__(2, **kwargs)

def train(model, loader):
    criterion = {made}
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x in loader:
        loss = criterion(model(x.cuda()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
READ = ["self.mean = x.mean().item()"]


@pytest.mark.parametrize(
    ("made", "expected"),
    [("Scaled(1)", []), ("Scaled(scale=1)", []), ("Scaled(1, recording=True)", READ), ("Scaled(1, **more)", READ)],
)
def test_a_flag_that_no_constructor_is_handed_is_off(program: Program, made: str, expected: list[str]) -> None:
    assert program(FLAGGED.replace("{made}", made)).reported("item-in-training-loop") == expected


def test_what_users_may_hand_to_a_class_that_nobody_builds_here_is_not_known(program: Program) -> None:
    checkout = program(FLAGGED.replace("{made}", "make()"))

    assert checkout.place("self.recording").truth() is None
