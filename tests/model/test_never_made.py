"""Methods of objects that no machine without CUDA can make."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

CODE = """
import torch

class Task:
    def __init__(self, net):
{constructor}

    def prepare(self, batch):
        return batch.cuda()

    @staticmethod
    def move(batch):
        return batch.to("cuda")

    def __call__(self, batch):
        return self.prepare(batch)

{more}

Task(net).prepare(batch)
Task.move(batch)
"""
ASSERT = "assert torch.cuda.is_available()\nself.net = net"
FAILING = {
    "an assert": (ASSERT, ""),
    "a raise": ("self.net = net\nif not torch.cuda.is_available():\n    raise RuntimeError", ""),
    "a subclass that makes itself so": (
        ASSERT,
        "class Other(Task):\n    def __init__(self, net):\n        super().__init__(net)",
    ),
    "a subclass that leaves it": (ASSERT, "class Other(Task):\n    size = 3"),
}
GOING_ON = {
    "a test that only warns": ("if not torch.cuda.is_available():\n    print('slow')", ""),
    "a return": ("if not torch.cuda.is_available():\n    return\nself.net = net", ""),
    "an assert about something else": ("assert net is not None", ""),
    "a call before the assert": ("self.batch = self.prepare(net)\nassert torch.cuda.is_available()", ""),
    "a subclass that makes itself otherwise": (
        ASSERT,
        "class Other(Task):\n    def __init__(self, net):\n        self.net = net",
    ),
}


def _reported(program: Program, constructor: str, more: str) -> list[str]:
    project = program(CODE.format(constructor=indent(constructor, " " * 8), more=more))
    return project.reported("hardcoded-cuda")


@pytest.mark.parametrize(("constructor", "more"), FAILING.values(), ids=FAILING)
def test_where_no_object_can_be_made_no_method_of_one_runs(program: Program, constructor: str, more: str) -> None:
    assert _reported(program, constructor, more) == ['return batch.to("cuda")']


@pytest.mark.parametrize(("constructor", "more"), GOING_ON.values(), ids=GOING_ON)
def test_where_an_object_may_be_made_its_methods_may_run(program: Program, constructor: str, more: str) -> None:
    assert "return batch.cuda()" in _reported(program, constructor, more)
