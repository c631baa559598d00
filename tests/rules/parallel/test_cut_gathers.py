"""Gathers that no gradient comes through."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.cut_gathers import cut_gathers
from torchlint.model import Project

PROGRAM = """import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
def gathered(x):
    parts = [torch.zeros_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    return torch.cat(parts)
def contrast(a, b, labels):
    logits = gathered(a) @ gathered(b).T
    return F.cross_entropy(logits, labels)
net = nn.Linear(2, 2)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for a, b, labels in batches:
    loss = contrast(net(a), net(b), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
GATHER = "    dist.all_gather(parts, x)\n"
LOSS = "    loss = contrast(net(a), net(b), labels)\n"


def cut(folder: Path, *changes: tuple[str, str]) -> list[str]:
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "main.py"
    path.write_text(text)
    file = Project(folder).open(path, path.name)
    return [one.given.text for one in cut_gathers(file.evaluator(), file)]


@pytest.mark.parametrize(
    "changes",
    [
        (),
        (("torch.cat(parts)", "torch.stack(parts).flatten(0, 1)"),),
        (("F.cross_entropy(logits, labels)", "criterion(logits, labels)"),),
        (("F.cross_entropy(logits, labels)", "-torch.log_softmax(logits, 1).diagonal().mean()"),),
        ((GATHER, "    dist.all_gather(tensor_list=parts, tensor=x)\n"),),
    ],
)  # fmt: skip
def test_a_loss_of_gathered_tensors_alone_has_no_gradient(tmp_path: Path, changes: tuple[tuple[str, str], ...]) -> None:
    assert cut(tmp_path, *changes) == ["x"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (GATHER, f"{GATHER}    parts[dist.get_rank()] = x\n"),
        (GATHER, f"{GATHER}    parts = [x, *parts]\n"),
        (GATHER, "    with torch.no_grad():\n        dist.all_gather(parts, x)\n"),
        ("def gathered", "@torch.no_grad()\ndef gathered"),
        ("gathered(a) @ gathered(b).T", "a @ gathered(a).T + b"),
        ("gathered(a) @ gathered(b).T", "torch.cat([a, b, gathered(a), gathered(b)])"),
        ("F.cross_entropy(logits, labels)", "F.cross_entropy(a, gathered(labels))"),
        ("logits = gathered(a) @ gathered(b).T", "logits, seen = a, gathered(labels)"),
        ("return torch.cat(parts)", "return torch.cat(parts).detach()"),
        (LOSS, "    loss = net(a).sum()\n    print(contrast(net(a), net(b), labels).item())\n"),
        ("    loss.backward()\n", ""),
        ("contrast(net(a), net(b), labels)", "F.cross_entropy(net(gathered(a)), labels)"),
    ],
)
def test_a_gradient_comes_otherwise_or_is_not_wanted(tmp_path: Path, old: str, new: str) -> None:
    changes = [(old, new)]
    if old == LOSS:
        changes.append(("    return F.cross_entropy(logits, labels)", "    return logits.argmax(1).float().mean()"))
    if "backward" in old:
        changes.append(("    optimizer.step()\n", ""))

    assert cut(tmp_path, *changes) == []


def test_a_function_with_a_backward_of_its_own_knows_what_goes_back(tmp_path: Path) -> None:
    head, tail = PROGRAM.split("def contrast")
    own = head.replace(
        "def gathered(x):", "class Gather(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):"
    )
    own = (
        own.replace("\n    parts", "\n        parts")
        .replace("\n    dist", "\n        dist")
        .replace("\n    return", "\n        return")
    )
    own += "    @staticmethod\n    def backward(ctx, gradient):\n        return gradient[:4]\ngathered = Gather.apply\n"

    assert cut(tmp_path, (PROGRAM, f"{own}def contrast{tail}")) == []
