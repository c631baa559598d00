"""What compiled code is compiled again for."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.compile.detectors.recompiles import recompiles
from torchlint.model import Project

PROGRAM = """import torch
from torch import nn
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
        self.calls = 0
    def forward(self, x):
        self.remember()
        return self.body(x)
    def remember(self):
        self.calls += 1
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
        self.now = 0
    def forward(self, x, step=0):
        for _ in range(step):
            x = x + 1
        return self.part(x) * self.now
def scaled(x, rate):
    return x * rate
net = Net()
fast = torch.compile(net)
scale = torch.compile(scaled, dynamic=False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step, x in enumerate(torch.randn(9, 4, 2)):
    loss = fast(x).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
RUN = "loss = fast(x).sum()"


def found(folder: Path, *changes: tuple[str, str]) -> list[str]:
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "program.py"
    path.write_text(text)
    file = Project(folder).open(path, path.name)
    return [one.place.text for one in recompiles(file.evaluator(), file)]


@pytest.mark.parametrize(
    "changes",
    [
        (),
        (("+= 1", "-= 1"),),
        (("class Part(nn.Module):\n", "class Part(nn.Module):\n    calls = 0\n"), ("        self.calls = 0\n", "")),
        (("self.calls += 1", "self.calls = self.calls + 1"),),
        (("fast = torch.compile(net)", "net.compile()\nfast = net"),),
        (("fast = torch.compile(net)", "fast = torch.compile(nn.Sequential(net), mode='max-autotune')"),),
        (("fast = torch.compile(net)", "fast = torch.compile(nn.parallel.DistributedDataParallel(net))"),),
    ],
)
def test_a_compiled_module_counts(tmp_path: Path, changes: tuple[tuple[str, str], ...]) -> None:
    assert found(tmp_path, *changes) == ["self.calls"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fast = torch.compile(net)", "fast = net"),
        ("fast = torch.compile(net)", "fast = torch.compile(scaled)"),
        ("self.calls = 0", "self.calls = 0.0"),
        ("class Part(nn.Module):\n", "class Part(nn.Module):\n    calls = 0.0\n"),
        ("self.calls = 0", "self.register_buffer('calls', torch.zeros(()))"),
        ("        self.remember()\n", ""),
        ("self.calls += 1", "self.calls = (self.calls + 1) % 4"),
        ("    def remember", "    @torch.compiler.disable\n    def remember"),
    ],
)
def test_what_changes_no_int_of_compiled_code_is_left_alone(tmp_path: Path, old: str, new: str) -> None:
    assert found(tmp_path, (old, new)) == []


def test_a_compile_of_its_own_is_not_that_of_torch(tmp_path: Path) -> None:
    made = ("net = Net()\nfast = torch.compile(net)", "net = Part()\nnet.compile()\nfast = net")
    own = ("    def remember", "    def compile(self):\n        self.body.compile()\n    def remember")

    assert found(tmp_path, made) == ["self.calls"]
    assert found(tmp_path, made, own) == []


@pytest.mark.parametrize(
    ("code", "argument"),
    [
        ("loss = scale(fast(x), step).sum()", "step"),
        ("loss = scale(fast(x), rate=2 * step + 1).sum()", "2 * step + 1"),
        ("loss = fast(x, step).sum()", "step"),
        ("net.now = step\n    loss = fast(x).sum()", "net.now"),
        ("fast.now = step + 1\n    loss = fast(x).sum()", "fast.now"),
    ],
)
def test_the_number_of_the_step_is_given_to_compiled_code(tmp_path: Path, code: str, argument: str) -> None:
    assert found(tmp_path, (RUN, code), ("self.remember()", "pass")) == [argument]


@pytest.mark.parametrize(
    "changes",
    [
        ((RUN, "loss = scale(fast(x), step).sum()"), ("dynamic=False", "dynamic=True")),
        ((RUN, "loss = scale(fast(x), step).sum()"), ("x * rate", "x * 2")),
        ((RUN, "loss = scale(fast(x), step % 2).sum()"),),
        ((RUN, "loss = scale(fast(x), 2).sum()"),),
        ((RUN, "loss = scaled(fast(x), step).sum()"),),
        ((RUN, "loss = fast(x, step).sum()"), ("range(step)", "range(step % 2)")),
        ((RUN, "loss = fast(x, step).sum()"), ("range(step)", "range(2)")),
        ((RUN, "net.now = 3\n    loss = fast(x).sum()"),),
        ((RUN, "net.now = step\n    loss = fast(x).sum()"), (" * self.now", "")),
        ((RUN, "net.now = step / 9\n    loss = fast(x).sum()"),),
        ((RUN, "if step % 100 == 0:\n        net.now = step\n    loss = fast(x).sum()"),),
    ],
)
def test_what_is_no_constant_or_does_not_change_is_left_alone(
    tmp_path: Path, changes: tuple[tuple[str, str], ...]
) -> None:
    assert found(tmp_path, *changes, ("self.remember()", "pass")) == []


@pytest.mark.parametrize(
    ("loop", "count"),
    [
        ("for step in range(9):\n    x = torch.ones(4, 2)", 1),
        ("step = 0\nfor x in torch.randn(9, 4, 2):\n    step += 1", 1),
        ("step = 5\nfor x in torch.randn(9, 4, 2):\n    pass", 0),
        ("for x, step in zip(torch.randn(9, 4, 2), weights):\n    pass", 0),
    ],
)
def test_a_loop_counts_its_steps(tmp_path: Path, loop: str, count: int) -> None:
    run = (RUN, "loss = scale(fast(x), step).sum()")
    head = ("for step, x in enumerate(torch.randn(9, 4, 2)):", loop)

    assert len(found(tmp_path, run, head, ("self.remember()", "pass"))) == count
