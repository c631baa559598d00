"""What replicas keep on themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.replicas import lost_states
from tests.checkout import asked
from torchlint.model import Project

PROGRAM = """
import torch
from torch import nn
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = None
    def forward(self, x):
        self.remember(x)
        return x
    def remember(self, x):
        {store}
    def peek(self):
        return self.kept
class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(Part(), nn.ReLU())
        self.part = Part()
    def forward(self, x): return self.part(x)
{before}
net = {wrapper}(Whole())
net(1)
{after}
"""


def lost_in(
    tmp_path: Path, store: str, after: str = "pass", wrapper: str = "nn.DataParallel", before: str = "pass"
) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(store=store, after=after, wrapper=wrapper, before=before))
    return [one.place.text for one in asked(lost_states, Project(tmp_path).open(path, "main.py"))]


@pytest.mark.parametrize("after", ["print(net.module.part.kept)", "net.module.part.peek()"])
def test_what_is_read_from_the_module_afterwards_is_lost(tmp_path: Path, after: str) -> None:
    assert lost_in(tmp_path, "self.kept = x", after) == ["self.kept"]


@pytest.mark.parametrize("store", ["self.kept += 1", "self.kept = 0.9 * self.kept + x"])
def test_what_grows_from_call_to_call_is_lost(tmp_path: Path, store: str) -> None:
    assert lost_in(tmp_path, store) == ["self.kept"]


MOVED = "self.kept = self.kept.to(x.device)"


@pytest.mark.parametrize(
    "store",
    [MOVED, "self.kept = self.kept.float().cuda()", f"{MOVED} if x.is_cuda else self.kept", f"{MOVED}; x - self.kept"],
)
def test_a_constant_that_is_only_moved_is_moved_again_by_the_next_call(tmp_path: Path, store: str) -> None:
    assert lost_in(tmp_path, store) == []


@pytest.mark.parametrize(
    "store", [f"{MOVED}; self.kept = self.kept + x", f"{MOVED}; self.kept += x", f"{MOVED} + x", f"{MOVED}.add(x)"]
)
def test_what_grows_is_lost_wherever_it_is_moved(tmp_path: Path, store: str) -> None:
    assert lost_in(tmp_path, store) == ["self.kept"]


def test_what_is_read_from_the_module_was_moved_on_the_replica_alone(tmp_path: Path) -> None:
    assert lost_in(tmp_path, MOVED, "print(net.module.part.kept)") == ["self.kept"]


def test_what_nobody_reads_is_not_missed(tmp_path: Path) -> None:
    assert lost_in(tmp_path, "self.kept = x") == []


def test_a_cache_is_made_again(tmp_path: Path) -> None:
    assert lost_in(tmp_path, "if self.kept is None:\n            self.kept = x", "net.module.part.peek()") == []


def test_other_wrappers_make_no_replicas(tmp_path: Path) -> None:
    after = "net.module.part.peek()"

    assert lost_in(tmp_path, "self.kept = x", after, "nn.parallel.DistributedDataParallel") == []


@pytest.mark.parametrize("body", ["pass", "def scatter(self, x, kwargs, ids): return [x], [kwargs]"])
def test_a_subclass_of_data_parallel_makes_replicas(tmp_path: Path, body: str) -> None:
    before = f"class Parallel(nn.DataParallel):\n    {body}"

    assert lost_in(tmp_path, "self.kept += 1", "pass", "Parallel", before) == ["self.kept"]


@pytest.mark.parametrize("body", ["def forward(self, x): return self.module(x)", "def replicate(self, net, ids): ..."])
def test_a_subclass_that_runs_its_module_itself_may_make_none(tmp_path: Path, body: str) -> None:
    before = f"class Alone(nn.DataParallel):\n    {body}"

    assert lost_in(tmp_path, "self.kept += 1", "pass", "Alone", before) == []
