"""Collectives that some ranks never come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project


def lonely_in(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(f"import torch.distributed as dist\n{text}")
    return [one.place.text for one in Project(tmp_path).open(path, "main.py").lonely_collectives()]


def test_a_collective_deep_in_what_one_rank_calls_is_lonely(tmp_path: Path) -> None:
    text = """
def mean(x): dist.all_reduce(x)
def validate(): return mean(1)
def main():
    if dist.get_rank() == 0:
        validate()
"""

    assert lonely_in(tmp_path, text) == ["validate()"]


@pytest.mark.parametrize(
    "text",
    [
        "if rank == 0:\n    dist.barrier()\nelse:\n    dist.barrier()\n",
        "if rank == 0:\n    dist.all_reduce(x, group=first)\n",
        "if rank == 0:\n    dist.send(x, 1)\n",
        "if dist.is_initialized():\n    dist.barrier()\n",
        "def main(rank):\n    if rank == 0:\n        save()\n    dist.barrier()\n",
    ],
)
def test_answered_calls_groups_and_calls_of_all_are_not(tmp_path: Path, text: str) -> None:
    assert lonely_in(tmp_path, text) == []


def test_what_follows_an_early_return_is_lonely(tmp_path: Path) -> None:
    assert lonely_in(tmp_path, "def f(rank):\n    if rank > 0:\n        return\n    dist.barrier()\n") == [
        "dist.barrier()"
    ]
