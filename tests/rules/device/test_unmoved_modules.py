"""Modules that are left on the host: where a module has them as its parts, whoever has that may move them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import torch
from torch import nn
"""


def _holding(base: str) -> str:
    return f"""{HEAD}
class Holder{base}:
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def run(self, x):
        return self.head(x.cuda())
"""


def test_what_a_plain_object_holds_stays_where_it_was_made(program: Program) -> None:
    assert program(_holding("")).reported("device-mismatch") == ["return self.head(x.cuda())"]


@pytest.mark.parametrize("base", ["(nn.Module)", "(nn.Sequential)", "(Base)"])
def test_a_part_of_a_module_is_moved_with_it(program: Program, base: str) -> None:
    code = _holding(base).replace("class Holder", "class Base(nn.Module): pass\nclass Holder")

    assert program(code).reported("device-mismatch") == []


@pytest.mark.parametrize(
    "operation",
    ["host + there", "there + host", "host < there", "0 < host < there", "torch.where(host > 0, host, there)"],
)
def test_either_operand_may_be_the_one_on_the_host(program: Program, operation: str) -> None:
    code = f"import torch\nhost = torch.ones(3)\nthere = torch.ones(3).cuda()\ny = {operation}\n"

    assert program(code).reported("device-mismatch") == [f"y = {operation}"]


@pytest.mark.parametrize("operation", ["host + 2", "2 * there", "count + there", "there + count", "host + host"])
def test_one_tensor_alone_meets_nothing(program: Program, operation: str) -> None:
    code = f"""import torch
def main(count: int):
    host = torch.ones(3)
    there = torch.ones(3).cuda()
    return {operation}
"""

    assert program(code).reported("device-mismatch") == []
