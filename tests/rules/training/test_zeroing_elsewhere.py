"""Which functions of a project a call of something unknown may run, and whether they clear gradients for a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Files: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "missing-zero-grad"
TRAIN = """\
import torch
from torch import nn
def train(model, loader, optimizer, other):
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
        other.step()
def main(other):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, [torch.ones(2, 3)] * 4, optimizer, {other})
"""
ENGINE = """\
class Engine:
    def __init__(self, optimizer): self.optimizer = optimizer
    def step(self{parameters}):
        self.optimizer.zero_grad()
"""
MAIN = "import engine\nimport train\nif __name__ == '__main__':\n    train.main(engine.made())\n"
SCRIPT = "if __name__ == '__main__':\n    Engine(None).step()\n"
SCHEDULER = "torch.optim.lr_scheduler.StepLR(optimizer, 3)"
CASES = {
    "the object may be the engine": ("other", "", "", MAIN, False),
    "a library may be used with its engine": ("other", "", "", "", False),
    "an argument that is optional": ("other", ", batch=None", "", MAIN, False),
    "the engine's step takes a batch": ("other", ", batch", "", MAIN, True),
    "the object is a scheduler of PyTorch": (SCHEDULER, "", "", MAIN, True),
    "the engine is of another script": ("other", "", SCRIPT, "", True),
    "the script that has the engine imports the loop": ("other", "", f"import train\n{SCRIPT}", "", False),
}


@pytest.mark.parametrize(("other", "parameters", "after", "main", "is_found"), CASES.values(), ids=CASES)
def test_only_code_that_may_be_meant_zeroes_for_a_step(
    project_of: Files, other: str, parameters: str, after: str, main: str, is_found: bool
) -> None:
    engine = ENGINE.format(parameters=parameters) + after
    files = project_of({"train.py": TRAIN.format(other=other), "engine.py": engine, "main.py": main})
    assert files.reported(RULE, "train.py") == ["optimizer.step()"] * is_found
