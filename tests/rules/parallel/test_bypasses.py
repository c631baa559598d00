"""Training past DistributedDataParallel."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.bypasses import bypasses
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

PROGRAM = """
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
        self.calls = 0
    def forward(self, x): return self.body(x)
    def score(self, x): return self.body(x).sum()
    def count(self, x): self.calls += 1
def unwrap(model): return model.module if hasattr(model, "module") else model
def both(model, bare, x): return model(x).sum() + bare.score(x)
class Learner:
    def __init__(self, model): self.bare = model.module
def main(loader, optimizer):
    ddp = DDP(Net())
    {setup}
    for x in loader:
        {step}
        loss.backward()
        optimizer.step()
"""


def bypasses_in(tmp_path: Path, step: str, setup: str = "pass") -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(step=step, setup=setup))
    return [one.place.text for one in asked(bypasses, Project(tmp_path).open(path, "main.py"), WITH_CUDA)]


@pytest.mark.parametrize(
    "call", ["ddp.module(x)", "ddp.module.forward(x)", "ddp.module.body(x)", "ddp.module.score(x)"]
)
def test_what_computes_inside_the_wrapper_bypasses_it(tmp_path: Path, call: str) -> None:
    assert bypasses_in(tmp_path, f"loss = {call}.sum()") == [call]


@pytest.mark.parametrize(
    "step",
    [
        "loss = ddp(x).sum()",
        "loss = ddp(x).sum() + ddp.module.score(x)",
        "loss = ddp(x); ddp.module.count(x)",
        "loss = other(x); ddp.module.count(x)",
        "loss = ddp.module(x); dist.all_reduce(ddp.module.body.weight.grad)",
    ],
)
def test_steps_that_reduce_their_gradients_are_left_alone(tmp_path: Path, step: str) -> None:
    assert bypasses_in(tmp_path, step) == []


@pytest.mark.parametrize(
    ("setup", "call"),
    [
        ("bare = ddp.module", "bare(x)"),
        ("bare = ddp.module if isinstance(ddp, DDP) else ddp", "bare(x)"),
        ('bare = getattr(ddp, "module", ddp)', "bare(x)"),
        ("ddp = ddp.module", "ddp(x)"),
        ("body = ddp.module.body", "body(x)"),
        ("bare = unwrap(ddp)", "bare.score(x)"),
        ("pass", "unwrap(ddp)(x)"),
        ("learner = Learner(ddp)", "learner.bare(x)"),
    ],
)
def test_the_module_inside_is_known_by_any_name(tmp_path: Path, setup: str, call: str) -> None:
    assert bypasses_in(tmp_path, f"loss = {call}.sum()", setup) == [call]


@pytest.mark.parametrize(
    ("setup", "step"),
    [
        ("bare = ddp.module", "loss = ddp(x).sum() + bare.score(x)"),
        ("bare = ddp.module", "loss = both(ddp, bare, x)"),
        ("bare = unwrap(Net())", "loss = bare(x).sum()"),
        ("bare = DDP(ddp.module)", "loss = bare(x).sum()"),
        ("bare = ddp.module", "loss = ddp(x).sum(); state = bare.state_dict()"),
    ],
)
def test_names_of_the_module_in_steps_that_go_through_the_wrapper(tmp_path: Path, setup: str, step: str) -> None:
    assert bypasses_in(tmp_path, step, setup) == []
