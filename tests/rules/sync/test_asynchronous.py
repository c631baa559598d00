"""Asynchronous copies without a wait."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from rules.sync.detectors.asynchronous import pageable_copies, unfinished_copies
from tests.checkout import asked
from torchlint.model import Project, SourceFile

HEAD = """
import torch
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
"""


# What is copied was on the GPU, whatever the attribute holds after that.
SWAP = """
def swap(old, new):
    jobs = []
    for a, b in zip(old.modules(), new.modules()):
        jobs.append((a, b, a.weight.data, b.weight.data))
    for a, b, view, _ in jobs:
        a.weight.data = view.data.to("cpu", non_blocking=True)
    torch.cuda.synchronize()
    for a, b, view, _ in jobs:
        view.copy_(b.weight.data, non_blocking=True)
        b.weight.data = view
swap(torch.nn.Linear(3, 3).to(device), torch.nn.Linear(3, 3))
"""


def opened(folder: Path, source: str) -> SourceFile:
    (folder / "main.py").write_text(HEAD + textwrap.dedent(source))
    return Project(folder).open(folder / "main.py", "main.py")


@pytest.mark.parametrize(
    "source",
    [
        "y = x.to('cpu', non_blocking=True)\nprint(y)",
        "y = x.to('cpu', non_blocking=True).numpy()",
        "y = x.to(device='cpu', non_blocking=True)\nz = y + 1",
        "y = x.to('cpu', non_blocking=True)\nx.to('cpu', non_blocking=True)\nprint(y)",
        "y = x.to('cpu', non_blocking=True)\nx.to(device)\nprint(y)",
        "y = x.to('cpu', non_blocking=True)\nz = y.to(torch.float64)",
        "y = x.to('cpu', non_blocking=True)\nz = y.to(x.device)\nprint(y)",
        "y = x.to('cpu', non_blocking=True)\nz = y.to('cpu', torch.float64)",
        "y = x.to('cpu', non_blocking=True)\nz = y.to('cpu', copy=True)",
        "found = []\nfound.append(x.to('cpu', non_blocking=True))\nfor y in found: pass",
        "def fetch(): return x.to('cpu', non_blocking=True)\nprint(float(fetch()))",
    ],
)
def test_a_copy_that_is_read_at_once_is_unfinished(source: str, tmp_path: Path) -> None:
    assert len(list(asked(unfinished_copies, opened(tmp_path, source)))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "y = x.to('cpu')\nprint(y)",
        "y = x.to('cpu', non_blocking=True)\ntorch.cuda.synchronize()\nprint(y)",
        "y = x.to('cpu', non_blocking=True)\nx.sum().item()\nprint(y)",
        "y = x.to('cpu', non_blocking=True)\nz = (x + 1).to('cpu')\nprint(y)",
        "y = x.to('cpu', non_blocking=True)\nz = (x + 1).to('cpu', non_blocking=False)\nprint(y)",
        "y = x.to('cpu', non_blocking=True)\nprint(y.shape)",
        "y = x.to('cpu', non_blocking=True)\nz = y.cuda()",
        "y = x.to('cpu', non_blocking=True)\nz = y.to('cpu')",
        SWAP,
        "y = x.to('cpu', non_blocking=True)\nz = y.to(x.device)",
        "y = x.to('cpu', non_blocking=True)\nz = y.to(torch.cuda.current_device(), non_blocking=True)",
        "y = x.to('cpu', non_blocking=True)\nz = y.to(device, torch.float64)",
        "y = torch.ones(3).to(device, non_blocking=True)\nprint(y)",
        "y = torch.nn.Linear(2, 1).to('cpu', non_blocking=True)\nprint(y)",
        "def f(done):\n    y = x.to('cpu', non_blocking=True)\n    done.wait()\n    return y + 1",
    ],
)
def test_a_copy_that_blocks_is_waited_for_or_is_not_read_is_left_alone(source: str, tmp_path: Path) -> None:
    assert list(asked(unfinished_copies, opened(tmp_path, source))) == []


@pytest.mark.parametrize(
    ("options", "count"),
    [("", 1), (", pin_memory=False", 1), (", pin_memory=True", 0), (", pin_memory=bool(x)", 0), (", **OPTIONS", 0)],
)
def test_a_batch_is_pageable_where_its_loader_surely_does_not_pin(options: str, count: int, tmp_path: Path) -> None:
    source = f"""
        loader = DataLoader(range(9){options})
        for step, batch in enumerate(loader):
            batch = batch.to(device, non_blocking=True)
        """

    assert len(list(asked(pageable_copies, opened(tmp_path, source)))) == count


@pytest.mark.parametrize(
    ("tensor", "count"),
    [
        ("batch.contiguous()", 1),
        ("batch.unsqueeze(1).permute(1, 0)", 1),
        # This makes a copy, which is not pinned whatever the loader does.
        ("batch.float()", 0),
        ("batch.contiguous().pin_memory()", 0),
    ],
)
def test_another_shape_of_a_batch_is_as_pinned_as_that(tensor: str, count: int, tmp_path: Path) -> None:
    source = f"for batch in DataLoader(range(9)):\n    batch = {tensor}.cuda(non_blocking=True)\n"

    assert len(list(asked(pageable_copies, opened(tmp_path, source)))) == count


COLLATING = """
    def stacked(samples): return torch.stack(samples)
    def pinned(samples): return torch.stack(samples).pin_memory()
    def moved(samples): return torch.stack(samples).to(device)
    class Batch:
        def __init__(self, x): self.x = x
        def to(self, device, non_blocking): return Batch(self.x.to(device))
    def wrapped(samples): return Batch(torch.stack(samples))
    for batch in DataLoader(range(9), collate_fn={collate}):
        batch = batch.to(device, non_blocking=True)
    """


@pytest.mark.parametrize("collate", ["stacked", "lambda samples: torch.stack(samples)", "lambda s: stacked(s)"])
def test_a_collate_function_that_pins_nothing_leaves_its_batches_pageable(collate: str, tmp_path: Path) -> None:
    assert len(list(asked(pageable_copies, opened(tmp_path, COLLATING.format(collate=collate))))) == 1


@pytest.mark.parametrize(
    "collate",
    ["pinned", "moved", "wrapped", "x.gather", "lambda s: pinned(s)", "lambda s: moved(s)", "lambda s: Batch(s)"],
)
def test_what_a_collate_function_may_have_pinned_moved_or_wrapped_up_is_left_alone(
    collate: str, tmp_path: Path
) -> None:
    assert list(asked(pageable_copies, opened(tmp_path, COLLATING.format(collate=collate)))) == []


def test_what_the_head_of_a_loop_binds_is_new_in_every_round(tmp_path: Path) -> None:
    source = """
        for batch in DataLoader(range(9)):
            here = batch.sum()
            batch = batch.to("cuda")
        """

    (call,) = opened(tmp_path, source).method_calls("sum")

    assert call.owner is not None
    assert [one.kind for one in call.owner.devices() if one is not None] == ["cpu"]
