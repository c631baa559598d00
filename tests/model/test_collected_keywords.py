"""What is known of `**kwargs` where the calls are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

TAKING = {
    "get": "kwargs.get('scale', None)",
    "get without a default": "kwargs.get('scale')",
    "pop": "kwargs.pop('scale', None)",
}


@pytest.mark.parametrize("taken", TAKING.values(), ids=TAKING)
def test_what_no_call_passes_by_name_is_the_default(program: Program, taken: str) -> None:
    checkout = program(f"def run(x, **kwargs):\n    scale = {taken}\n    print(scale)\nrun(1)\nrun(2, width=3)\n")

    assert checkout.literals("scale") == [None]


@pytest.mark.parametrize("taken", TAKING.values(), ids=TAKING)
def test_what_a_call_passes_by_name_is_taken(program: Program, taken: str) -> None:
    checkout = program(f"def run(x, **kwargs):\n    scale = {taken}\n    print(scale)\nrun(1)\nrun(2, scale=3)\n")

    assert 3 in checkout.literals("scale")


OPEN = {
    "more keywords": "run(1, **more)",
    "fixed before": "from functools import partial\nlater = partial(run, scale=more)\nlater(1)",
    "started as a process": "from multiprocessing import Process\nProcess(target=run, args=(1,), kwargs=more).start()",
    "handed on": "more.map(run, [1])",
}


@pytest.mark.parametrize("call", OPEN.values(), ids=OPEN)
def test_what_a_call_may_pass_unseen_is_not_known(program: Program, call: str) -> None:
    checkout = program(f"def run(x, **kwargs):\n    scale = kwargs.get('scale', 5)\n    print(scale)\n{call}\n")

    assert checkout.literals("scale") != [5]


@pytest.mark.parametrize("filling", ["kwargs['scale'] = x", "kwargs.update(x)", "kwargs.setdefault('scale', x)"])
def test_what_the_function_puts_there_itself_is_not_missing(program: Program, filling: str) -> None:
    checkout = program(
        f"def run(x, **kwargs):\n    {filling}\n    scale = kwargs.get('scale', 5)\n    print(scale)\nrun(1)\n"
    )

    assert checkout.literals("scale") != [5]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("run(1)", False),
        ("run(1, scale=2)", True),
        ("run(1, wide=2)", False),
        ("run(1, **x)", None),
        ("run(1, wide=2, **x)", None),
    ],
)
def test_a_test_for_a_keyword_comes_out_as_the_call_is_written(
    program: Program, call: str, expected: bool | None
) -> None:
    checkout = program(f"def run(x, **kwargs):\n    if 'scale' in kwargs:\n        print(x)\n{call}\n")

    assert checkout.place("'scale' in kwargs").truth() is expected


STEPS = """
import torch
from torch import nn

class Loss(nn.Module):
    def forward(self, out, **kwargs):
        images = kwargs.get("images", None)
        if images is not None:
            show(images)
        return out.sum()

def show(images):
    print(images.cpu())

def train(model, loader):
    model.cuda()
    optimizer, criterion = torch.optim.SGD(model.parameters(), 0.1), Loss()
    for x in torch.utils.data.DataLoader(loader):
        x = x.cuda()
        loss = criterion(model(x){passed})
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(("passed", "expected"), [("", []), (", images=x", ["print(images.cpu())"])])
def test_a_branch_for_a_keyword_runs_with_every_step_where_it_is_passed(
    program: Program, passed: str, expected: list[str]
) -> None:
    assert program(STEPS.replace("{passed}", passed)).reported("host-copy-in-training-loop") == expected
