"""Tensors of a loader's workers that a list keeps, and those of which it keeps a copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.data.detectors.kept_batches import kept_batches
from torchlint.model import Project

HEAD = """\
import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.zeros(8, 2), torch.zeros(8))
loader = DataLoader(data, batch_size=2, num_workers=2)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
kept, full = [], [0]
"""


def found_in(tmp_path: Path, body: str, head: str = HEAD) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(head + body)
    project = Project(tmp_path)
    file = project.open(path, "main.py")
    return [one.value.code for one in kept_batches(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("loop", "kept"),
    [
        ("for x, y in loader:\n    kept.append(y)", "y"),
        ("for batch in loader:\n    kept.append(batch)", "batch"),
        ("for batch in loader:\n    kept.append(batch[1])", "batch[1]"),
        ("for i, (x, y) in enumerate(loader):\n    kept.append(x.view(-1))", "x.view(-1)"),
        ("for x, y in loader:\n    kept.append(y.cpu().numpy())", "y.cpu().numpy()"),
        ("for x, y in loader:\n    kept.append((1, y))", "y"),
        ("for x, y in loader:\n    kept.append(y)\nkept = torch.cat(kept)", "y"),
        ("def f():\n    rows = []\n    for x, y in loader:\n        rows.append(x)\n    return rows\nf()", "x"),
    ],
)
def test_what_is_kept_of_a_worker_is_found(tmp_path: Path, loop: str, kept: str) -> None:
    assert found_in(tmp_path, f"{loop}\n") == [kept]


@pytest.mark.parametrize(
    "loop",
    [
        "for x, y in loader:\n    kept.append(y.clone())",
        "for x, y in loader:\n    kept.append(y.tolist())",
        "for x, y in loader:\n    kept.append(y.sum())",
        "for x, y in loader:\n    kept.append(y.to(device))",
        "for x, y in loader:\n    y = y.to(device)\n    kept.append(y)",
        "for x, y in loader:\n    full.append(y)",
        "for x, y in loader:\n    kept.append(y)\n    kept.clear()",
        "for x, y in loader:\n    kept = []\n    kept.append(y)",
        "for x, y in loader:\n    kept.append(y)\n    break",
        "for i, (x, y) in enumerate(loader):\n    if i < 3:\n        kept.append(y)",
        "for x, y in DataLoader(data, batch_size=2):\n    kept.append(y)",
        "for x, y in DataLoader(data, num_workers=2, pin_memory=True):\n    kept.append(y)",
        "for x, y in DataLoader(data, num_workers=0):\n    kept.append(y)",
        "torch.multiprocessing.set_sharing_strategy('file_system')\nfor x, y in loader:\n    kept.append(y)",
        "for x, y in data:\n    kept.append(y)",
    ],
)
def test_a_copy_a_few_and_no_workers_are_not(tmp_path: Path, loop: str) -> None:
    assert found_in(tmp_path, f"{loop}\n") == []
