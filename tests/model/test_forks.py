"""CUDA in forked processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project

HEAD = """
import multiprocessing as mp
import torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __getitem__(self, i): return self.load(i)
    def load(self, i): return torch.ones(3).cuda()
def work(i): torch.zeros(i, device="cuda")
"""


def demands_in(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    return [one.place.text for one in Project(tmp_path).open(path, "main.py").forked_cuda()]


def test_what_a_dataset_runs_in_workers_is_forked(tmp_path: Path) -> None:
    text = "model = torch.nn.Linear(3, 3).cuda()\nloader = DataLoader(Data(), num_workers=4)\n"

    assert demands_in(tmp_path, text) == ["torch.ones(3).cuda()"]


def test_what_a_process_runs_is_forked(tmp_path: Path) -> None:
    text = "def main():\n    x = torch.ones(3).cuda()\n    mp.Process(target=work, args=(1,)).start()\n"

    assert demands_in(tmp_path, text) == ['torch.zeros(i, device="cuda")']


@pytest.mark.parametrize(
    "text",
    [
        "m = torch.nn.Linear(3, 3).cuda()\nloader = DataLoader(Data(), num_workers=0)\n",
        "m = torch.nn.Linear(3, 3).cuda()\nloader = DataLoader(Data())\n",
        "m = torch.ones(3).cuda()\nloader = DataLoader(Data(), num_workers=2, multiprocessing_context='spawn')\n",
        "mp.set_start_method('spawn')\nm = torch.ones(3).cuda()\nmp.Process(target=work).start()\n",
        "def main():\n    mp.Process(target=work, args=(1,)).start()\n    x = torch.ones(3).cuda()\n",
    ],
)
def test_no_workers_other_starts_and_cuda_afterwards_are_left_alone(tmp_path: Path, text: str) -> None:
    assert demands_in(tmp_path, text) == []
