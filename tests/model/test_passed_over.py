"""Tests that are passed without the arm that would have bound a name again."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from tests.checkout import Checkout
from torchlint.model.values.passed_over import passed_over

CODE = """\
d = 1
if a:
    d = 2
if d:
    b = 3
if b and d:
    pass
elif d > 4:
    d = 5
else:
    d = 6
if c:
    pass
else:
    d = 7
while d > 8:
    d = 9
while d > 10:
    break
for _ in b:
    if d > 11:
        d = 12
    print(d)  # here
    if e:
        d = 13
"""


def test_of_the_tests_above_those_were_passed_over_that_would_have_bound_the_name(
    program: Callable[[str], Checkout],
) -> None:
    place = program(CODE).place("d", mark="here")

    found = [(ast.unparse(one.test.test), one.test.holds, one.is_about) for one in passed_over(place, "d")]

    assert found == [("d > 11", False, True), ("a", False, False), ("c", True, False), ("d > 8", False, True)]


@pytest.mark.parametrize("name", ["a", "c", "e"])
def test_of_a_name_that_no_arm_binds_nothing_is_passed_over(program: Callable[[str], Checkout], name: str) -> None:
    assert passed_over(program(CODE).place("d", mark="here"), name) == ()
