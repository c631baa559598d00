"""Functions that compute gradients once for each training, beside one that trains in a loop of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout, every_step
from tests.model.steps.programs import HEAD

Program: TypeAlias = Callable[[str], Checkout]

_PROGRAM = """
def check():
    model(torch.ones(1, 2)).sum().backward()
    return model.weight.grad.sum()

def train(data):
    for x in data:
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()

{loop}
    torch.cuda.empty_cache()
"""
_ONCE = {
    "before": "for epoch in range(9):\n    check()\n    train(loader)",
    "after": "for task in tasks:\n    train(task)\n    print(check())",
    "under a test": "for task in tasks:\n    if task:\n        check()\n    train(task)",
    "at once": "for task in tasks:\n    train(task), check()",
}
_EVERY = {
    "itself": "for x in loader:\n    check()\n    optimizer.step()",
    "a step": "def step():\n    optimizer.step()\nfor x in loader:\n    check()\n    step()",
    "alone": "for x in loader:\n    check()",
    "before any training": "train(loader)\nfor x in loader:\n    check()",
}


@pytest.mark.parametrize("loop", _ONCE.values(), ids=_ONCE)
def test_a_loop_over_trainings_takes_no_step_by_what_goes_back_besides(program: Program, loop: str) -> None:
    place = program(HEAD + _PROGRAM.format(loop=loop)).place("torch.cuda.empty_cache()")

    assert every_step(place) is None


@pytest.mark.parametrize("loop", _EVERY.values(), ids=_EVERY)
def test_a_loop_that_trains_by_itself_takes_steps(program: Program, loop: str) -> None:
    place = program(HEAD + _PROGRAM.format(loop=loop)).place("torch.cuda.empty_cache()")

    assert every_step(place) is not None
