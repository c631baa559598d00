"""Options for the local rank that nobody passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project

PROGRAM = """
import os
import torch.distributed as dist
parser.add_argument("--local_rank", type=int, default=0)
args = parser.parse_args()
dist.init_process_group("nccl")
"""


def options_in(tmp_path: Path, text: str) -> int:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM + text)
    return len(list(Project(tmp_path).open(path, "main.py").local_rank_options()))


@pytest.mark.parametrize("text", ["", 'print("rank", os.environ.get("LOCAL_RANK"))\n'])
def test_a_variable_that_is_only_shown_is_not_used(tmp_path: Path, text: str) -> None:
    assert options_in(tmp_path, text) == 1


@pytest.mark.parametrize(
    "text", ['rank = int(os.environ["LOCAL_RANK"])\n', "args.local_rank = 3\n", "import deepspeed\n"]
)
def test_who_reads_or_sets_the_rank_otherwise_is_left_alone(tmp_path: Path, text: str) -> None:
    assert options_in(tmp_path, text) == 0
