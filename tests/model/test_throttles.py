"""Tests that let something through in every round of a loop, and tests that do so now and then."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import torch
from torch import nn
model = nn.Linear(2, 2)
loader = torch.utils.data.DataLoader([])
"""
_THROTTLED = """
for i, x in enumerate(loader):
    loss = model(x).sum()
    loss.backward()
    step = i + 1
    self.step = i
    {test}
        loss.item()
"""
THROTTLES = {
    "modulo": "if i % 100 == 0:",
    "modulo, not": "if not i % 100:",
    "modulo and rank": "if rank == 0 and i % 100 == 0:",
    "modulo of more": "if (i + 1) % args.print_freq == 0:",
    "modulo of another": "if step % 100 == 99:",
    "modulo through a name": "should = i % 100 == 0\n    if should:",
    "modulo through two names": "a = i % 100 == 0\n    b = a and rank == 0\n    if b:",
    "modulo through a function": "if is_time(i):",
    "the last round": "if i == len(loader) - 1:",
    "the first round": "if i == 0:",
    "the first rounds": "if i < 3:",
    "the first rounds of a sum": "seen = i + 10 * epoch\n    if seen < 3:",
    "some rounds": "if i in (1, 10, 100):",
    "a few of each hundred": "if i % 100 < len(x):",
    "an evaluation": "if not model.training and args.report:",
    "an evaluation's arm": "if model.training or not args.report:\n        pass\n    else:",
    "either": "if i % 100 == 0 or i == len(loader) - 1:",
    "a walrus": "if (now := i % 100 == 0):",
    "an attribute": "if self.step % 100 == 0:",
    "a clock": "if time.time() - start > 60:",
    "a flag that is cleared": "if first:\n        first = False",
    "a debug log": "if logger.isEnabledFor(logging.DEBUG):",
    "a name that says so": "if should_log(i):",
    "an early continue": "if i % 100:\n        continue\n    if True:",
    "a handler": "try:\n        pass\n    except RuntimeError:",
    "a failure": "if bad:\n        raise RuntimeError(loss)\n    if i % 100 == 0:",
}


@pytest.mark.parametrize("test", THROTTLES.values(), ids=THROTTLES)
def test_a_throttle_makes_it_now_and_then(program: Program, test: str) -> None:
    code = "def is_time(i):\n    return i % 100 == 0\nfirst = True\n" + _THROTTLED.format(test=test)

    assert not _reads_every_step(program(HEAD + code))


@pytest.mark.parametrize(
    "test",
    [
        "if rank == 0:",
        "if model.training:",
        "if seen < 3:",
        "if args.verbose_loss:",
        "if x is not None:",
        "if i >= 100:",
        "with ctx:",
    ],
)
def test_what_holds_in_most_rounds_is_no_throttle(program: Program, test: str) -> None:
    assert _reads_every_step(program(HEAD + _THROTTLED.format(test=test)))


def test_the_message_of_an_assertion_is_made_but_once(program: Program) -> None:
    code = """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            assert i < 10, f"too far: {loss.item()}"
        """

    assert not _reads_every_step(program(_program(code)))


def test_a_throttle_around_the_call_thins_the_callee_too(program: Program) -> None:
    code = """
        def note(loss):
            return loss.item()
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i % 100 == 0:
                note(loss)
        """

    assert not _reads_every_step(program(_program(code)))


def test_one_call_without_a_throttle_is_enough(program: Program) -> None:
    code = """
        def note(loss):
            return loss.item()
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i % 100 == 0:
                note(loss)
            note(loss)
        """

    assert _reads_every_step(program(_program(code)))


def _reads_every_step(checkout: Checkout) -> bool:
    return checkout.place("loss.item()").every_step is not None


def _program(code: str) -> str:
    return HEAD + dedent(code)
