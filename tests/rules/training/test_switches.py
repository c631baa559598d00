"""Methods that put the modules of their object into eval mode, for other methods that evaluate."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
TRAINER = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
class Trainer:
    def __init__(self, loader, val):
        self.model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 1))
        self.opt = torch.optim.Adam(self.model.parameters())
        self.loader, self.val = loader, val
    def set_eval(self):
        {switch}
    def set_train(self):
        self.model.train()
    def train_epoch(self):
        {first}
        for x in self.loader:
            self.opt.zero_grad()
            self.model(x).mean().backward()
            self.opt.step()
    def validate(self):
        total = 0
        {before}
        for x in self.val:
            total += self.model(x).mean().item()
        return total
    def fit(self):
        for _ in range(3):
            self.train_epoch()
            self.validate()
Trainer(DataLoader(torch.ones(8, 4)), DataLoader(torch.ones(8, 4))).fit()
"""
EVAL, SET = "self.model.eval()", "self.set_eval()"
CASES = {
    "a method switches": (EVAL, "pass", SET, True, True),
    "another switches back": (EVAL, "self.set_train()", SET, False, True),
    "switched back before": (EVAL, "pass", f"{SET}\n        self.set_train()", False, False),
    "under no_grad": (EVAL, "pass", f"{SET}; torch.set_grad_enabled(False)", True, False),
    "under a test": (EVAL, "pass", f"if self.val:\n            {SET}", False, False),
    "of nothing": ("pass", "pass", SET, False, False),
}


@pytest.mark.parametrize(("switch", "first", "before", "is_left", "is_recorded"), CASES.values(), ids=CASES)
def test_a_method_that_only_switches_is_as_good_as_eval(
    program: Program, switch: str, first: str, before: str, is_left: bool, is_recorded: bool
) -> None:
    files = program(TRAINER.format(switch=switch, first=first, before=before))

    assert files.reported("eval-mode-left-on") == [EVAL] * is_left
    found = files.reported("evaluation-without-no-grad")
    assert found == ["total += self.model(x).mean().item()"] * is_recorded
