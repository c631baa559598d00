"""What is compiled again and again."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.compile.detectors.repeated_compiles import repeated_compiles
from torchlint.model import Project

PROGRAM = """import functools
import torch
from torch import nn
def scaled(x, rate):
    return x * rate
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
        self.fast = None
    def forward(self, x):
        IN_FORWARD
        return self.body(x)
def prepared(net):
    IN_HELPER
    return net
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    IN_EPOCH
    for step, x in enumerate(torch.randn(9, 4, 2)):
        IN_STEP
        optimizer.zero_grad()
        net(x).sum().backward()
        optimizer.step()
"""
_PLACES = ("IN_FORWARD", "IN_HELPER", "IN_EPOCH", "IN_STEP")


def compiled(folder: Path, where: str, code: str, *, also: tuple[str, str] = ("", "")) -> list[str]:
    text = PROGRAM
    for place in _PLACES:
        indent = " " * (len(line := next(one for one in text.splitlines() if place in one)) - len(line.lstrip()))
        given = code if place == where else also[1] if place == also[0] else "pass"
        text = text.replace(place, given.replace("\n", f"\n{indent}"))
    path = folder / "program.py"
    path.write_text(text)
    file = Project(folder).open(path, path.name)
    return [one.when for one in repeated_compiles(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("IN_STEP", "torch.compile(scaled)(x, 2)"),
        ("IN_STEP", "run = torch.compile(net)"),
        ("IN_STEP", "net = torch.compile(net)"),
        ("IN_STEP", "net.compile()"),
        ("IN_STEP", "made = functools.partial(torch.compile, dynamic=True)\nmade(scaled)(x, 2)"),
        ("IN_STEP", "@torch.compile\ndef twice(x):\n    return x * 2"),
        ("IN_STEP", "@torch.compile(dynamic=True)\ndef twice(x):\n    return x * 2"),
        ("IN_FORWARD", "x = torch.compile(scaled)(x, 2)"),
        ("IN_FORWARD", "self.fast = torch.compile(scaled)"),
    ],
)
def test_each_step_compiles(tmp_path: Path, where: str, code: str) -> None:
    assert compiled(tmp_path, where, code) == ["in every step"]


def test_a_helper_of_each_step_compiles(tmp_path: Path) -> None:
    assert compiled(tmp_path, "IN_HELPER", "net = torch.compile(net)", also=("IN_STEP", "prepared(net)")) != []


def test_forward_compiles_whoever_trains_the_module(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(PROGRAM.partition("def prepared")[0].replace("IN_FORWARD", "x = torch.compile(scaled)(x, 2)"))
    file = Project(tmp_path).open(path, path.name)

    assert [one.when for one in repeated_compiles(file.evaluator(), file)] == ["in every `forward`"]


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("IN_EPOCH", "run = torch.compile(net)"),
        ("IN_STEP", "if step == 0:\n    net = torch.compile(net)"),
        ("IN_STEP", "if step % 100 == 0:\n    torch.compile(net)(x)"),
        ("IN_STEP", "optimizer.compile()"),
        ("IN_FORWARD", "if self.fast is None:\n    self.fast = torch.compile(scaled)"),
        ("IN_FORWARD", "if not hasattr(self, 'run'):\n    self.run = torch.compile(scaled)"),
        ("IN_HELPER", "net = torch.compile(net)"),
    ],
)
def test_what_is_compiled_once_is_left_alone(tmp_path: Path, where: str, code: str) -> None:
    assert compiled(tmp_path, where, code) == []


def test_a_cache_keeps_what_is_compiled(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    text = PROGRAM.replace("def prepared", "@functools.lru_cache\ndef prepared")
    for place, code in zip(_PLACES, ("pass", "net = torch.compile(net)", "pass", "prepared(net)"), strict=True):
        text = text.replace(place, code)
    path.write_text(text)
    file = Project(tmp_path).open(path, path.name)

    assert list(repeated_compiles(file.evaluator(), file)) == []


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        ("    if net in MADE:\n        return MADE[net]\n    fast = torch.compile(net)\n    MADE[net] = fast", []),
        ("    fast = torch.compile(net)\n    MADE[net] = fast", ["in every step"]),
    ],
    ids=["looked up first", "made anyway"],
)
def test_a_table_keeps_what_is_compiled(tmp_path: Path, kept: str, found: list[str]) -> None:
    code = kept.removeprefix("    ").replace("\n    ", "\n")

    assert compiled(tmp_path, "IN_HELPER", code, also=("IN_STEP", "MADE = {}\nprepared(net)")) == found
