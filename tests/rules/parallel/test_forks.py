"""CUDA in forked processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.forks import forked_cuda
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
    return [one.place.text for one in Project(tmp_path).open(path, "main.py").share_of(forked_cuda)]


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


HELPED = """
def stacked(images): return torch.zeros(3, device=images[0].device)
def put(x, device): return x.to(device)
def sized(n, on_gpu):
    if on_gpu: return torch.zeros(n).cuda()
    return torch.zeros(n)
def collate(batch): return {worked}
def main():
    model = torch.nn.Linear(3, 3).cuda()
    loader = DataLoader(torch.load("x"), num_workers=4, collate_fn=collate)
    return {elsewhere}
"""
CUDA_IN_HELPERS = [
    ("stacked([torch.ones(3, device='cuda')])", "torch.zeros(3, device=images[0].device)"),
    ("put(batch[0], 'cuda')", "x.to(device)"),
    ("sized(3, True)", "torch.zeros(n).cuda()"),
]


@pytest.mark.parametrize(("worked", "demand"), CUDA_IN_HELPERS)
def test_a_helper_is_asked_for_cuda_by_what_workers_pass(tmp_path: Path, worked: str, demand: str) -> None:
    assert demand in demands_in(tmp_path, HELPED.format(worked=worked, elsewhere="stacked(torch.ones(3))"))


@pytest.mark.parametrize("elsewhere", [worked for worked, _ in CUDA_IN_HELPERS])
@pytest.mark.parametrize("worked", ["stacked(batch)", "put(batch[0], 'cpu')", "sized(3, False)"])
def test_what_the_main_process_passes_to_a_helper_is_left_alone(tmp_path: Path, worked: str, elsewhere: str) -> None:
    assert demands_in(tmp_path, HELPED.format(worked=worked, elsewhere=elsewhere)) == []
