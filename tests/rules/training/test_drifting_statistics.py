"""Parts that are frozen, and whose batch norms go on in training mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.drifting_statistics import drifting_statistics
from torchlint.model import Project

PROGRAM = """import torch
from torch import nn
class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(3)
    def forward(self, x):
        return self.norm(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = Body()
        self.head = nn.Conv2d(3, 1, 1)
    def forward(self, x):
        return self.head(self.body(x))
def evaluate(net, batches):
    net.eval()
    return [net(x) for x in batches]
def main(batches):
    net = Net()
    net.body.requires_grad_(False)
    optimizer = torch.optim.SGD(net.head.parameters(), lr=0.1)
    for epoch in range(3):
        net.train()
        for x in batches:
            net(x).mean().backward()
            optimizer.step()
        evaluate(net, batches)
main([])
"""
_FREEZE = "    net.body.requires_grad_(False)\n"
_TRAIN = "        net.train()\n"


def drifting(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(code)
    file = Project(folder).open(path, path.name)
    return [one.part.text for one in drifting_statistics(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("", "", "net.body"),
        (_FREEZE, "    for p in net.body.parameters():\n        p.requires_grad = False\n", "net.body"),
        (_FREEZE, "    for p in net.body.parameters():\n        p.requires_grad_(False)\n", "net.body"),
        (_FREEZE, "    for name, p in net.body.named_parameters():\n        p.requires_grad = False\n", "net.body"),
        ("self.head =", "self.body.requires_grad_(False)\n        self.head =", "self.body"),
        ("nn.BatchNorm2d(3)", "nn.Sequential(nn.ReLU(), nn.BatchNorm2d(3))", "net.body"),
        (
            "        self.body = Body()",
            "        import torchvision\n        self.body = torchvision.models.resnet18()",
            "net.body",
        ),
        (_TRAIN, "", None),
    ],
)
def test_batch_norms_of_a_frozen_part_go_on(tmp_path: Path, old: str, new: str, part: str | None) -> None:
    found = drifting(tmp_path, PROGRAM.replace(old, new) if old else PROGRAM)

    assert found[:1] == ([part] if part else [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_TRAIN, f"{_TRAIN}        net.body.eval()\n"),
        (_TRAIN, f"{_TRAIN}        for m in net.modules():\n            m.eval()\n"),
        (_TRAIN, f"{_TRAIN}        freeze(net)\n        unknown.eval()\n"),
        (_TRAIN, f"{_TRAIN}        net.body.train(False)\n"),
        (_FREEZE, "    if unknown:\n        net.body.requires_grad_(False)\n"),
        (
            _FREEZE,
            "    for n, p in net.body.named_parameters():\n        if 'a' in n:\n            p.requires_grad = False\n",
        ),
        (_FREEZE, "    net.requires_grad_(False)\n"),
        (_FREEZE, "    net.head.requires_grad_(False)\n"),
        (_FREEZE, "    net.body.requires_grad_(True)\n"),
        ("nn.BatchNorm2d(3)", "nn.GroupNorm(1, 3)"),
        ("nn.BatchNorm2d(3)", "nn.BatchNorm2d(3, track_running_stats=False)"),
        ("self.body = Body()", "self.body = unknown()"),
        ("            net(x).mean()", "            net.body(x).mean()"),
    ],
)
def test_what_keeps_its_statistics_is_left_alone(tmp_path: Path, old: str, new: str) -> None:
    assert old in PROGRAM
    assert drifting(tmp_path, PROGRAM.replace(old, new)) == []


@pytest.mark.parametrize(("imported", "found"), [("from modes import steady\n", []), ("", ["net.body"])])
def test_a_function_that_the_program_imports_may_put_it_into_eval_mode(
    tmp_path: Path, imported: str, found: list[str]
) -> None:
    (tmp_path / "modes.py").write_text("def steady(m):\n    m.eval()\n")
    (tmp_path / "models.py").write_text(PROGRAM.partition("def evaluate")[0])
    training = f"from models import Net\n{imported}import torch\ndef evaluate{PROGRAM.partition('def evaluate')[2]}"

    assert drifting(tmp_path, training) == found
