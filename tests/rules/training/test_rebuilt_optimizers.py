"""Optimizers that every epoch or step makes again."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.rebuilt_optimizers import rebuilt_optimizers
from torchlint.model import Project

HEAD = """
import torch
from torch import nn
from torch.optim import Adam, SGD
model = nn.Linear(2, 1)
"""
STEPS = """    for x, y in loader:
        optimizer.zero_grad()
        (model(x) - y).square().mean().backward()
        optimizer.step()
"""
LOOP = "for epoch in range(9):\n    optimizer = {}\n" + STEPS
FUNCTION = "def train(model, loader, lr=0.1):\n    optimizer = Adam(model.parameters(), lr=lr)\n" + STEPS
METHOD = """
class Trainer:
    def __init__(self):
        self.model = nn.Linear(2, 1)
    def epoch(self, loader):
        optimizer = Adam(self.model.parameters())
        for x, y in loader:
            optimizer.zero_grad()
            (self.model(x) - y).square().mean().backward()
            optimizer.step()
trainer = Trainer()
"""


def found_in(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    file = Project(tmp_path).open(path, "main.py")
    return [one.made.method for one in rebuilt_optimizers(file.evaluator(), file)]


@pytest.mark.parametrize(
    "text",
    [
        LOOP.format("Adam(model.parameters())"),
        LOOP.format("torch.optim.AdamW(model.parameters(), lr=args.lr)"),
        LOOP.format("SGD(model.parameters(), lr=0.1, momentum=0.9)"),
        FUNCTION + "for epoch in range(9):\n    train(model, loader)",
        METHOD + "for epoch in range(9):\n    trainer.epoch(loader)",
        "for x, y in train_loader:\n    optimizer = Adam(model.parameters())\n    optimizer.zero_grad()\n"
        "    (model(x) - y).mean().backward()\n    optimizer.step()",
    ],
)
def test_an_optimizer_that_is_made_again_is_found(tmp_path: Path, text: str) -> None:
    assert len(found_in(tmp_path, text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "optimizer = Adam(model.parameters())\nfor epoch in range(9):\n" + STEPS,
        LOOP.format("SGD(model.parameters(), lr=0.1)"),
        LOOP.format("SGD(model.parameters(), lr=0.1, momentum=args.momentum)"),
        LOOP.format("torch.optim.LBFGS(model.parameters())"),
        LOOP.format("Adam(model.parameters(), lr=0.1 / (epoch + 1))"),
        LOOP.format("Adam(latents)"),
        LOOP.replace("epoch in", "fold in").format("Adam(model.parameters())"),
        LOOP.replace("    optimizer = {}", "    model = nn.Linear(2, 1)\n    optimizer = Adam(model.parameters())"),
        LOOP.replace("    optimizer = {}", "    model.reset_parameters()\n    optimizer = Adam(model.parameters())"),
        LOOP.replace("    optimizer = {}", "    if epoch == 3:\n        optimizer = Adam(model.parameters())"),
        FUNCTION + "train(model, loader)",
        FUNCTION + "for epoch in range(9):\n    train(model, loader, lr=rate(epoch))",
        FUNCTION + "for epoch in range(9):\n    train(nn.Linear(2, 1), loader)",
        FUNCTION + "for epoch in range(9):\n    train(build(epoch), loader)",
        FUNCTION + "for client in clients:\n    train(model, client.loader)",
    ],
)
def test_one_of_another_training_is_not(tmp_path: Path, text: str) -> None:
    assert not found_in(tmp_path, text)
