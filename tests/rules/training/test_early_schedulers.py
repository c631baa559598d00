"""Which schedulers step before their optimizer has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "scheduler-before-optimizer"
CODE = """\
import torch
import transformers
from torch.optim.lr_scheduler import StepLR, ReduceLROnPlateau
class Own:
    def __init__(self, optimizer): pass
    def step(self): pass
class Warm(torch.optim.lr_scheduler._LRScheduler):
    def __init__(self, optimizer, steps):
        self.steps = steps
        super().__init__(optimizer)
    def get_lr(self):
        return [rate * min(1, self.last_epoch / self.steps) for rate in self.base_lrs]
class Warmer(Warm): pass
class Gradual(torch.optim.lr_scheduler.LRScheduler):
    def step(self, epoch=None): pass
class Plateau(ReduceLROnPlateau): pass
def train(loader, optimizer):
    for x in loader:
        x.backward()
        optimizer.step()
def main(model, loader, scaler, other=None):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    others = torch.optim.SGD(other.parameters(), lr=0.1)
    scheduler = {made}
    {before}
    for epoch in range(3):
        {round}
"""
STEP = "scheduler.step()\n        "
MADE = "StepLR(optimizer, 3)"
ROUNDS = {
    "by a function": (f"{STEP}train(loader, optimizer)", True),
    "in the same loop": (f"{STEP}optimizer.step()", True),
    "in a loop": (f"{STEP}for x in loader: optimizer.step()", True),
    "by a scaler": (f"{STEP}scaler.step(optimizer)", True),
    "in a block": (f"with torch.no_grad(): {STEP}optimizer.step()", True),
    "after the mode": (f"model.train()\n        {STEP}optimizer.step()", True),
    "after": (f"optimizer.step()\n        {STEP}", False),
    "after a function": (f"train(loader, optimizer)\n        {STEP}optimizer.step()", False),
    "after what nobody knows": (f"model.fit(loader)\n        {STEP}optimizer.step()", False),
    "with the optimizer, now and then": (f"if epoch % 4 == 3:\n            {STEP}    optimizer.step()", True),
    "in one of two arms": (
        f"if epoch % 4 == 3:\n            {STEP}    optimizer.step()\n        else:\n            optimizer.step()",
        False,
    ),
    "now and then": (f"if epoch: {STEP}optimizer.step()", False),
    "told the epoch": ("scheduler.step(epoch)\n        optimizer.step()", False),
    "of another optimizer": (f"{STEP}others.step()", False),
    "alone": (STEP, False),
}
MADES = {
    "by PyTorch": (MADE, True),
    "by name": ("StepLR(step_size=3, optimizer=optimizer)", True),
    "either": (f"{MADE} if model else torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)", True),
    "by a metric": ("ReduceLROnPlateau(optimizer)", False),
    "of the project": ("Own(optimizer)", False),
    "of the project, as PyTorch's": ("Warm(optimizer, 5)", True),
    "of the project, made of that": ("Warmer(steps=5, optimizer=optimizer)", True),
    "of the project, with a step of its own": ("Gradual(optimizer)", False),
    "of the project, by a metric": ("Plateau(optimizer)", False),
    "of the project, of another optimizer": ("Warm(others, 5)", False),
    "by Transformers": ("transformers.get_linear_schedule_with_warmup(optimizer, 0, 9)", True),
    "by Transformers, before 2.2": ("transformers.WarmupLinearSchedule(optimizer, 0, 9)", True),
    "by Transformers, by a metric": ("transformers.get_reduce_on_plateau_schedule(optimizer)", False),
    "nobody knows": ("make(optimizer)", False),
}


def _code(round_: str, made: str = MADE, before: str = "pass") -> str:
    return CODE.format(made=made, before=before, round=round_)


@pytest.mark.parametrize(("round_", "is_found"), ROUNDS.values(), ids=ROUNDS)
def test_what_surely_comes_first_in_a_round_is_early(program: Program, round_: str, is_found: bool) -> None:
    assert len(program(_code(round_)).findings(RULE)) == is_found


@pytest.mark.parametrize(("made", "is_found"), MADES.values(), ids=MADES)
def test_schedulers_of_pytorch_are_told_from_others(program: Program, made: str, is_found: bool) -> None:
    assert len(program(_code(f"{STEP}train(loader, optimizer)", made)).findings(RULE)) == is_found


@pytest.mark.parametrize("before", ["optimizer.step()", "train(loader, optimizer)", "model.pretrain()"])
def test_what_has_stepped_before_the_loop_is_not_skipped(program: Program, before: str) -> None:
    assert program(_code(f"{STEP}train(loader, optimizer)", before=before)).findings(RULE) == []


def test_a_method_that_is_called_with_each_round_counts_as_one(program: Program) -> None:
    checkout = program("""\
        import torch
        class Trainer:
            def __init__(self, model):
                self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 3)
            def run_epoch(self, loader):
                self.scheduler.step()
                for x in loader:
                    self.optimizer.step()
        """)

    assert checkout.reported(RULE) == ["self.scheduler.step()"]
