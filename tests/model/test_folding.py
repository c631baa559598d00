"""Constants computed from constants stay small, even if a program doubles them."""

from __future__ import annotations

import ast

import pytest

from torchlint.model.values.folding import LONGEST, computed, constant, in_text, joined_parts
from torchlint.model.values.value_sets import Literal, Number, Text

BIG = 10**5000


@pytest.mark.parametrize(
    ("left", "op", "right", "found"),
    [
        ("cuda:", ast.Add(), "0", Literal("cuda:0")),
        ("cuda:%d", ast.Mod(), 1, Literal("cuda:1")),
        ("a" * LONGEST, ast.Add(), "b", Text("a" * LONGEST)),
        ("%0999999999d", ast.Mod(), 1, Text()),
        ("gpu %-999999999s", ast.Mod(), "x", Text("gpu ")),
        ("x", ast.Mult(), 10**9, Text()),
        (10**150, ast.Mult(), 10**150, Number()),
        (BIG, ast.Add(), 1, Number()),
        ("%d", ast.Mod(), BIG, Text()),
        (7, ast.FloorDiv(), 2, Literal(3)),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_an_operator_makes_of_constants_is_short_or_not_spelled_out(
    left: str | int, op: ast.operator, right: str | int, found: object
) -> None:
    assert computed(Literal(left), op, Literal(right)) == found


def test_a_number_of_many_digits_is_not_written_out() -> None:
    assert in_text(Literal(BIG)) is None
    assert constant(BIG) == Number()


def test_parts_make_a_text_as_far_as_they_are_known_and_short() -> None:
    assert joined_parts(["cuda:", "1"]) == Literal("cuda:1")
    assert joined_parts(["cuda:", None, "x"]) == Text("cuda:")
    assert joined_parts(["ab"] * LONGEST) == Text("ab" * (LONGEST // 2))
