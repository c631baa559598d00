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


def _criterion(made: str, forward: str) -> str:
    return f"""{HEAD}
import torch.nn.functional as F

class Criterion(nn.Module):
    def __init__(self, n):
        super().__init__()
        {made}

    def forward(self, out, labels):
        {forward}

def train(batches):
    net, criterion = nn.Linear(6, 4).cuda(), Criterion(4)
    for x, labels in batches:
        criterion(net(x.cuda()), labels.cuda())
"""


PARAMETER = "self.w = nn.Parameter(torch.randn(n, 4))"
BUFFER = 'self.register_buffer("w", torch.ones(n, 4))'


@pytest.mark.parametrize("made", [PARAMETER, BUFFER])
@pytest.mark.parametrize(
    "forward",
    [
        "return out @ self.w.t()",
        "return F.linear(out, F.normalize(self.w))",
        "return (torch.exp(-self.w) * out).sum()",
        "return (out - self.w[labels]).pow(2).sum()",
        "soft = self.w[:, labels].t(); return (out * soft).sum()",
        "return F.mse_loss(out, self.w)",
        "return out.matmul(self.w.T)",
    ],
)
def test_a_module_that_is_left_behind_has_its_own_tensors_there(program: Program, made: str, forward: str) -> None:
    found = program(_criterion(made, forward)).reported("device-mismatch")

    assert found == ["criterion(net(x.cuda()), labels.cuda())"]


@pytest.mark.parametrize(
    ("made", "forward"),
    [
        ("self.w = nn.Parameter(torch.tensor(1.0))", "return (out * self.w).sum()"),
        (PARAMETER, "return (out * self.w.mean()).sum()"),
        (PARAMETER, "return (out * self.w.to(out)).sum()"),
        (PARAMETER, "return (out.cpu() * self.w).sum()"),
        (PARAMETER, "return out.sum() + len(self.w)"),
        (PARAMETER, "return F.cross_entropy(out, labels)"),
        (BUFFER, "w = self.w.type_as(out); return (out * w).sum()"),
        ("self.w = 3.0", "return (out * self.w).sum()"),
    ],
)
def test_tensors_of_its_own_that_may_meet_the_input(program: Program, made: str, forward: str) -> None:
    assert program(_criterion(made, forward)).reported("device-mismatch") == []
