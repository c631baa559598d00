"""Of several possible callees, those that accept the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.call_graph.callees import callees_of
from torchlint.model.worlds import ANYWHERE

Program: TypeAlias = Callable[[str], Checkout]

_PROGRAM = """
class Plain:
    def describe({plain}):
        return 1

class Other:
    def describe({other}):
        return 2

def show(loss):
    return loss.describe({given})

show(Plain())
show(Other())
"""


def called(checkout: Checkout, call: str) -> list[str]:
    place = checkout.place(call)
    found = callees_of(place.file.project.evaluator(ANYWHERE), place)
    return [one.scope.qualified_name.partition(".")[0] for one in found]


@pytest.mark.parametrize(
    ("plain", "other", "given", "expected"),
    [
        ("self", "self, step", "", ["Plain"]),
        ("self", "self, step", "3", ["Other"]),
        ("self", "self, *, step", "step=3", ["Other"]),
        ("self, name", "self, step", "step=3", ["Other"]),
        ("self", "self, step=1", "", ["Plain", "Other"]),
        ("self", "self, *steps", "", ["Plain", "Other"]),
        ("self, **options", "self, step", "step=3", ["Plain", "Other"]),
        ("self", "self, step", "*rest", ["Plain", "Other"]),
        # A mistake for all of them is not decided here.
        ("self, name", "self, step", "", ["Plain", "Other"]),
    ],
)
def test_a_method_that_refuses_the_arguments_is_not_called_if_another_takes_them(
    program: Program, plain: str, other: str, given: str, expected: list[str]
) -> None:
    checkout = program(_PROGRAM.format(plain=plain, other=other, given=given))

    assert called(checkout, f"loss.describe({given})") == expected


def test_what_is_called_through_its_class_gets_its_object_too(program: Program) -> None:
    code = "class A:\n    def f(self):\n        pass\nclass B:\n    def f(self):\n        pass\n"
    code += "kind = A if flag else B\nkind.f(made)\n"

    assert called(program(code), "kind.f(made)") == ["A", "B"]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("apply(run)", ["apply", "run"]),
        ("map(run, items)", ["run"]),
        ("hasattr(run, 'count')", []),
        ("setattr(run, 'count', 1)", []),
        ("getattr(run, 'count')", []),
        ("print(run)", []),
    ],
)
def test_what_only_asks_for_a_function_does_not_call_it(program: Program, call: str, expected: list[str]) -> None:
    checkout = program(f"def run():\n    pass\ndef apply(f):\n    f()\nitems = [1]\n{call}\n")

    assert called(checkout, call) == expected
