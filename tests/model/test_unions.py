"""What the union of two dicts holds: `a | b` is `{**a, **b}`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Display

Program: TypeAlias = Callable[[str], Checkout]

HEAD = "first = {'d': 'cpu', 'e': 1}\nsecond = {'d': 'cuda', 'f': 2}\n"
UNIONS = {
    "by an operator": "made = first | second",
    "by a display": "made = {**first, **second}",
    "in place": "made = first\nmade |= second",
    "in place, of what is written there": "made = {'d': 'mps', 'e': 1}\nmade |= {'d': 'cpu'} | second",
    "in a function": "def merged(a, b):\n    return a | b\nmade = merged(first, second)",
    "in place, in a function": "def merged(a, b):\n    a |= b\n    return a\nmade = merged(first, second)",
    "of three": "made = first | {'g': 3} | second",
    "with what is unknown before it": "made = unknown() | first | second",
    "as an attribute": """\
class Config:
    def __init__(self):
        self.made = first | second
made = Config().made""",
}


@pytest.mark.parametrize("union", UNIONS.values(), ids=UNIONS)
def test_the_second_dict_overrides_the_first(program: Program, union: str) -> None:
    checkout = program(f"{HEAD}{union}\nprint(made['d'], made['e'], made['f'])\n")

    assert checkout.literals("made['d']") == ["cuda"]
    assert checkout.literals("made['e']") == [1]
    assert checkout.literals("made['f']") == [2]


def test_a_dict_that_is_merged_with_itself_in_a_loop_holds_what_it_held(program: Program) -> None:
    checkout = program(f"{HEAD}for i in range(3):\n    first = first | {{'i': i}}\nprint(first['d'])\n")

    assert checkout.literals("first['d']") == ["cpu"]


@pytest.mark.parametrize("made", ["1 | 2", "torch.ones(2) | torch.ones(2)", "{1} | {2}", "unknown() | unknown()"])
def test_other_unions_are_no_dicts(program: Program, made: str) -> None:
    found = program(f"import torch\nmade = {made}\nprint(made)\n").values("made")

    shown = [one.place.expression for one in found if isinstance(one, Display)]
    assert not any(isinstance(one, ast.Dict) for one in shown)
