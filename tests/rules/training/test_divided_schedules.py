"""Which lengths of schedules count the steps of one process alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "schedule-divided-by-processes"
HEAD = """\
import math
import torch
from accelerate import Accelerator
from torch.optim.lr_scheduler import LinearLR
from transformers import get_linear_schedule_with_warmup, get_scheduler
accelerator = Accelerator({})
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(range(8))
epochs = 3
"""
PREPARE = "scheduler = accelerator.prepare({})\n"
LINEAR = PREPARE.format("LinearLR(optimizer, total_iters={})")
WRONG = {
    "of steps": LINEAR.format("len(loader) * epochs // accelerator.num_processes"),
    "of rounded steps": LINEAR.format("math.ceil(len(loader) / accelerator.num_processes) * epochs"),
    "by a name": "total = len(loader) // accelerator.num_processes\n" + LINEAR.format("total * epochs"),
    "by a name of the number": "world = accelerator.num_processes\n" + LINEAR.format("len(loader) // world"),
    "by the state": LINEAR.format("len(loader) // accelerator.state.num_processes"),
    "with accumulation": LINEAR.format("len(loader) // (accelerator.num_processes * 4)"),
    "of a prepared loader": "loader = accelerator.prepare(loader)\n" + LINEAR.format("len(loader) * epochs"),
    "of a loader beside others": "model, optimizer, loader = accelerator.prepare(model, optimizer, loader)\n"
    + LINEAR.format("max(1, len(loader))"),
    "by a name of the scheduler": "scheduler = LinearLR(optimizer, total_iters=len(loader) // accelerator.num_processes)\n"
    + PREPARE.format("scheduler"),
    "for the method of its own": "scheduler = accelerator.prepare_scheduler(\n"
    "    LinearLR(optimizer, total_iters=len(loader) // accelerator.num_processes))\n",
    "of transformers": PREPARE.format(
        "get_linear_schedule_with_warmup(optimizer, 0, len(loader) // accelerator.num_processes)"
    ),
    "of any name": PREPARE.format(
        "get_scheduler('linear', optimizer, num_training_steps=len(loader) // accelerator.num_processes)"
    ),
}
RIGHT = {
    "of all steps": LINEAR.format("len(loader) * epochs"),
    "multiplied": LINEAR.format("epochs * accelerator.num_processes"),
    "divided and multiplied": "per = math.ceil(len(loader) / accelerator.num_processes)\n"
    + LINEAR.format("per * epochs * accelerator.num_processes"),
    "of a prepared loader, multiplied": "loader = accelerator.prepare(loader)\n"
    + LINEAR.format("len(loader) * accelerator.num_processes"),
    "unprepared": "scheduler = LinearLR(optimizer, total_iters=len(loader) // accelerator.num_processes)\n"
    "optimizer = accelerator.prepare(optimizer)\n",
    "of something else": "total = len(loader) // accelerator.num_processes\nprint(total)\n" + LINEAR.format("epochs"),
    "of another loader": "other = accelerator.prepare(loader)\n" + LINEAR.format("len(loader)"),
    "by what is told": LINEAR.format("len(loader) // make()"),
    "no scheduler": PREPARE.format("make(len(loader) // accelerator.num_processes)"),
    "of another's": "class Accelerator:\n    num_processes = 1\n    def prepare(self, x):\n        return x\n"
    "accelerator = Accelerator()\n" + LINEAR.format("len(loader) // accelerator.num_processes"),
}


@pytest.mark.parametrize("body", WRONG.values(), ids=WRONG)
def test_what_counts_the_steps_of_one_process_is_reported(body: str, program: Program) -> None:
    assert len(program(HEAD.format("") + body).findings(RULE)) == 1


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_counts_all_or_may_is_not_reported(body: str, program: Program) -> None:
    assert program(HEAD.format("") + body).findings(RULE) == []


@pytest.mark.parametrize("told", ["split_batches=True", "step_scheduler_with_optimizer=False", "**options"])
def test_an_accelerator_may_have_schedulers_step_once(told: str, program: Program) -> None:
    assert program(HEAD.format(told) + WRONG["of steps"]).findings(RULE) == []


@pytest.mark.parametrize(
    ("length", "edits"),
    [
        ("len(loader) * epochs // accelerator.num_processes", [""]),
        ("(epochs + 1) // accelerator.num_processes", []),
        ("len(loader) // (accelerator.num_processes * 4)", []),
    ],
)
def test_a_fix_leaves_the_division_out_where_it_is_the_whole(length: str, edits: list[str], program: Program) -> None:
    (finding,) = program(HEAD.format("") + LINEAR.format(length)).findings(RULE)

    assert [one.text for one in (finding.fix.edits if finding.fix else ())] == edits
