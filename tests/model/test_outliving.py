"""Lists and sums of the file, or of the function around a step, that outlive the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

_STEPS = """\
import torch
{of_file}
def main(model, optimizer, batches):
    {of_function}
    def step(x):
        {first}
        loss = model(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {line}
    for x in batches:
        step(x)
        {after}
"""


def _steps(line: str, of_file: str = "", of_function: str = "pass", first: str = "pass", after: str = "pass") -> str:
    return _STEPS.format(line=line, of_file=of_file, of_function=of_function, first=first, after=after)


APPENDED = "seen.append(loss)"
LOG = "seen = []\n    def log(value):\n        seen.append((1, value))"
OUTLIVING = {
    "a list of the function": (_steps(APPENDED, of_function="seen = []"), APPENDED),
    "a list of the file": (_steps(APPENDED, of_file="seen = []"), APPENDED),
    "a sum of the function": (_steps("seen += loss", of_function="seen = 0", first="nonlocal seen"), "seen += loss"),
    "a sum of the file": (_steps("seen += loss", of_file="seen = 0", first="global seen"), "seen += loss"),
    "by another function": (_steps("log(loss)", of_function=LOG), "log(loss)"),
}


@pytest.mark.parametrize(("code", "kept"), OUTLIVING.values(), ids=OUTLIVING)
def test_a_variable_around_the_step_outlives_it(program: Program, code: str, kept: str) -> None:
    assert program(code).reported("kept-graph") == [kept]


SHORT_LIVED = {
    "numbers": _steps("seen.append(loss.item())", of_file="seen = []"),
    "the last one": _steps("seen['loss'] = loss", of_function="seen = {}"),
    "emptied after the step": _steps(APPENDED, of_file="seen = []", after="seen.clear()"),
    "anew after the step": _steps(APPENDED, of_function="seen = []", after="seen = []"),
    "anew in the step": _steps(APPENDED, of_function="seen = []", first="nonlocal seen; seen = []"),
    "of the step": _steps(APPENDED, of_function="seen = []", first="seen = []"),
    "differentiated around": _steps(APPENDED, of_function="seen = []", after="sum(seen).backward()"),
    "by another function, of numbers": _steps("log(loss.item())", of_function=LOG),
    "by nobody": _steps("seen.append(loss)"),
}


@pytest.mark.parametrize("code", SHORT_LIVED.values(), ids=SHORT_LIVED)
def test_what_starts_with_every_step_or_holds_numbers_keeps_no_graphs(program: Program, code: str) -> None:
    assert program(code).reported("kept-graph") == []
