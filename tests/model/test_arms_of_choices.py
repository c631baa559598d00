"""The arms of a choice are what an expression may be."""

from __future__ import annotations

import ast

import pytest

from torchlint.syntax.arms import arms_of


@pytest.mark.parametrize(
    ("code", "arms"),
    [
        ("x", ["x"]),
        ("x if a else y", ["x", "y"]),
        ("x if a else y if b else z", ["x", "y", "z"]),
        ("(x if a else y) if b else z", ["x", "y", "z"]),
        ("f(x if a else y)", ["f(x if a else y)"]),
    ],
)
def test_arms_are_in_source_order_and_nested_ones_are_among_them(code: str, arms: list[str]) -> None:
    assert [ast.unparse(arm) for arm in arms_of(ast.parse(code, mode="eval").body)] == arms
