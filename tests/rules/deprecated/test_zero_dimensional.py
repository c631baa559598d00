"""Which tensors surely have no dimension, and where one is indexed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from rules.deprecated.detectors.zero_dimensional import has_no_dimension
from tests.checkout import Checkout
from torchlint.model.project import Project
from torchlint.model.worlds import ANYWHERE
from torchlint.pytorch.requirements import Required, Version

Program: TypeAlias = Callable[[str], Checkout]
HEAD = """\
import argparse
import torch
from torch import nn
from torch.nn import functional as F
criterion = nn.CrossEntropyLoss()
parser = argparse.ArgumentParser()
parser.add_argument("--weight", type=float, default=0.5)
parser.add_argument("--mask")
args = parser.parse_args()
class Both(nn.Module):
    def forward(self, x, y):
        return F.mse_loss(x, y), x * y
both = Both()
def compute(x, y):
    return criterion(x, y) + 0.1 * F.l1_loss(x, y)
"""
MADE = {
    "of a loss": ("y = criterion(a, b)", True),
    "of a function": ("y = F.mse_loss(a, b)", True),
    "that keeps all": ("y = F.mse_loss(a, b, reduction='none')", False),
    "of a module that keeps all": ("y = nn.MSELoss(reduction='none')(a, b)", False),
    "summed up": ("y = 0\nfor x in xs:\n    y += criterion(x, b)", True),
    "summed up into one with a dimension": ("y = torch.zeros(1)\nfor x in xs:\n    y += criterion(x, b)", False),
    "summed up by its data": ("y = 0\nfor x in xs:\n    y += len(x) * criterion(x, b).data", True),
    "summed up by the data of anything": ("y = 0\nfor x in xs:\n    y += make(x).data", False),
    "weighted by an option": ("y = 0\nfor x in xs:\n    y += args.weight * F.mse_loss(x, b)", True),
    "weighted by an option without a default": ("y = 0\nfor x in xs:\n    y += args.mask * F.mse_loss(x, b)", False),
    "weighted by what anybody may have set": ("y = make().weight * F.mse_loss(a, b)", False),
    "added to what has a dimension": ("y = torch.ones(2)\ny += 1\ny += criterion(a, b)", False),
    "another before": ("y = make()\ny = y.view(3, -1)\ny = criterion(a, y)", True),
    "another behind": ("y = criterion(a, b)\nprint(y)\ny = make()", False),
    "another now and then": ("y = criterion(a, b)\nfor x in xs:\n    y = make(x)", False),
    "given twice": ("y = criterion(a, b)\nif flag:\n    y = make()", False),
    "of a loop": ("for y in ys:\n    pass", False),
    "divided by a number": ("y = criterion(a, b) / 2", True),
    "divided by a tensor with a dimension": ("y = criterion(a, b) / torch.ones(3)", False),
    "divided by anything": ("y = criterion(a, b) / other", False),
    "negated": ("y = -criterion(a, b)", True),
    "elementwise": ("y = criterion(a, b).detach()", True),
    "a mean": ("y = torch.ones(3).mean()", True),
    "a mean of anything": ("y = make().mean()", False),
    "a mean of one dimension": ("y = torch.ones(3, 2).mean(0)", False),
    "a number": ("y = 3", False),
    "returned by a function": ("y = compute(a, b)", True),
    "the first part": ("y, x = both(a, b)", True),
    "the second part": ("x, y = both(a, b)", False),
    "an attribute": ("y = self.loss", False),
}


@pytest.mark.parametrize(("code", "expected"), MADE.values(), ids=MADE)
def test_what_surely_has_no_dimension_is_known(program: Program, code: str, expected: bool) -> None:
    checkout = program(f"{HEAD}{code}\nprint(y)  # here")

    place = checkout.place("y", mark="here")

    assert has_no_dimension(checkout.project.evaluator(ANYWHERE), place) == expected


TAKEN = {
    "y.data[0]": True,
    "y.data.cpu()[0]": True,
    "y.data.cpu().numpy()[0]": True,
    "y.data.view(1)[0]": False,
    "y.data[1]": False,
    "y.data": False,
}


@pytest.mark.parametrize(("text", "is_found"), TAKEN.items())
def test_what_takes_the_first_is_told(program: Program, text: str, is_found: bool) -> None:
    code = f"{HEAD}def f(a, b):\n    y = criterion(a, b)\n    return {text}\n"

    assert program(code).reported("indexed-scalar") == ([f"return {text}"] if is_found else [])


SUMS = {
    "of losses": ("total += criterion(x, b).data", "total[0] / len(xs)", True),
    "of losses, another number of it": ("total += criterion(x, b).data", "total[1]", False),
    "of anything": ("total += make(x).data", "total[0]", False),
    "of numbers": ("total += criterion(x, b).data.item()", "total[0]", False),
    "in a list": ("total += [criterion(x, b).data]", "total[0]", False),
    "of losses, in a table": ("total += criterion(x, b).data", "{0: total}[0]", False),
}


@pytest.mark.parametrize(("added", "taken", "is_found"), SUMS.values(), ids=SUMS)
def test_a_sum_of_what_has_no_dimension_has_none(program: Program, added: str, taken: str, is_found: bool) -> None:
    start = "[]" if added.endswith("]") else "0"
    code = f"{HEAD}def f(xs, b):\n    total = {start}\n    for x in xs:\n        {added}\n    return {taken}\n"

    checkout = program(code)

    assert checkout.reported("indexed-scalar") == ([f"return {taken}"] if is_found else [])


def test_a_sum_is_asked_for_its_number(program: Program) -> None:
    code = f"{HEAD}def f(xs, b):\n    total = 0\n    for x in xs:\n        total += criterion(x, b).data\n    return total[0]\n"

    (finding,) = program(code).findings("indexed-scalar")

    assert finding.fix is not None
    assert [edit.text for edit in finding.fix.edits] == ["total.item()"]


@pytest.mark.parametrize(("below", "count"), [((0, 4), 0), ((1, 0), 0), ((1, 1), 1), (None, 1)])
def test_an_index_is_reported_where_a_release_that_raises_may_run(
    below: Version | None, count: int, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(f"{HEAD}def f(a, b):\n    return criterion(a, b).data[0]\n")
    checkout = Checkout(tmp_path, Project(tmp_path, companions=[Required("torch", None, below)]))

    assert len(checkout.findings("indexed-scalar")) == count
