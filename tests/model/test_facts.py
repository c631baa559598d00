"""The outcomes of earlier tests that are assumed at a place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.guards.path_conditions import facts_at, facts_for_others, given_besides
from torchlint.model.place import Place

Program: TypeAlias = Callable[[str], Checkout]

GIVEN = frozenset({("matrix.size == 0", True)})


def test_facts_add_up() -> None:
    assert given_besides(GIVEN, [("args.fast", False)]) == GIVEN | {("args.fast", False)}


def test_what_was_given_first_is_not_contradicted() -> None:
    assert given_besides(GIVEN, [("matrix.size == 0", False)]) == GIVEN


def test_too_many_facts_are_none_more() -> None:
    assert given_besides(GIVEN, [("args.fast", False), ("args.deep", True)]) == GIVEN


def test_the_same_facts_are_one_set() -> None:
    one, other = (given_besides(GIVEN, [("args.fast", holds)]) for holds in (True, True))

    assert one is other


def test_what_is_given_is_gone_through_in_one_order(program: Program) -> None:
    place = program("x = 1\nx").place("x")
    pairs = [frozenset({(f"args.{name}", True), (f"args.{name}s", True)}) for name in "abcdefgh"]

    orders = [list(facts_at(Place(place.file, place.expression, place.statement, None, one)).outcomes) for one in pairs]

    assert orders == [[f"args.{name}", f"args.{name}s"] for name in "abcdefgh"]


ENTERED = """
def choose(n):
    return n if args.{asked} else 0
if args.wide:
    if args.deep:
        choose(1)
"""


@pytest.mark.parametrize("asked", ["wide", "deep"])
def test_a_function_is_entered_with_what_it_mentions(program: Program, asked: str) -> None:
    call = program(ENTERED.format(asked=asked)).place("choose(1)")
    (entered,) = (one.scope for one in call.scope.bindings["choose"])

    assert facts_for_others(call, call.file, of_same_object=False, entered=entered) == {(f"args.{asked}", True)}
