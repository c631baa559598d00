"""Methods that only run before a constructor wraps what they read, and those that others call as well."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from rules.parallel.detectors.wrapper_attributes import hidden_attributes
from tests.checkout import Checkout, asked
from torchlint.model.worlds import WITH_CUDA

PROGRAM = """
import torch
from torch import nn

class Net(nn.Module):
    def embed(self, x):
        return x

class Agent:
    def __init__(self, path):
        self.model = Net()
        {above}
        self.model = nn.DataParallel(self.model)
        {below}
    def load(self, path):
        self.fill(torch.load(path))
    def fill(self, state):
        self.model.load_state_dict(state)

class Sub(Agent):
    def fill(self, state):
        state["x"] = self.model.embed(1)
        super().fill(state)

def main(path):
    agent = Sub(path)
    {outside}
"""


@pytest.mark.parametrize(
    ("above", "below", "outside", "hidden"),
    [
        ("self.load(path)", "pass", "pass", []),
        ("self.fill({})", "pass", "pass", ["self.model.embed"]),
        ("if path:\n            self.load(path)", "pass", "pass", []),
        ("self.load(path)", "self.load(path)", "pass", ["self.model.embed"]),
        ("self.load(path)", "self.fill({})", "pass", ["self.model.embed"]),
        ("self.load(path)", "pass", "agent.load(path)", ["self.model.embed"]),
        ("self.load(path)", "pass", "make(path).fill({})", ["self.model.embed"]),
        ("self.load(path)", "pass", "handed_on = agent.fill", ["self.model.embed"]),
        ("pass", "self.load(path)", "pass", ["self.model.embed"]),
        ("pass", "pass", "pass", ["self.model.embed"]),
    ],
    ids=[
        "above", "and by what nobody calls", "behind a test", "below as well", "the method below", "from outside", "of nobody knows what",
        "handed on", "below", "by nobody",
    ],
)  # fmt: skip
def test_what_only_runs_while_an_object_is_built_finds_the_bare_module(
    program: Callable[[str], Checkout], above: str, below: str, outside: str, hidden: list[str]
) -> None:
    checkout = program(dedent(PROGRAM).format(above=above, below=below, outside=outside))

    assert [one.place.text for one in asked(hidden_attributes, checkout.file(), WITH_CUDA)] == hidden
