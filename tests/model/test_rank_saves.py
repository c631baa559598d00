"""What every rank writes to the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project

HEAD = """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
"""


def saves_in(tmp_path: Path, text: str) -> list[int]:
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    return [one.place.line for one in Project(tmp_path).open(path, "main.py").rank_saves()]


def test_a_save_in_a_helper_without_a_guard_anywhere_is_every_ranks(tmp_path: Path) -> None:
    text = "def save(m, p):\n    torch.save({'m': m.module.state_dict()}, p)\ndef main():\n    save(DDP(net), 'x.pt')\n"

    assert saves_in(tmp_path, text) == [6]


@pytest.mark.parametrize(
    "text",
    [
        "m = DDP(net)\nif dist.get_rank() == 0:\n    torch.save(m.module.state_dict(), 'x.pt')\n",
        "m = DDP(net)\nif args.is_master:\n    torch.save(m.module.state_dict(), 'x.pt')\n",
        "m = DDP(net)\ntorch.save(m.module.state_dict(), f'x{dist.get_rank()}.pt')\n",
        "m = DDP(net)\nname = f'{rank}.pt'\ntorch.save(m.module.state_dict(), name)\n",
        "if args.several:\n    m = DDP(net)\nelse:\n    torch.save(net.state_dict(), 'x.pt')\n",
        "torch.save(torch.nn.Linear(2, 2).state_dict(), 'x.pt')\n",
    ],
)
def test_guards_files_of_their_own_and_single_programs_are_left_alone(tmp_path: Path, text: str) -> None:
    assert saves_in(tmp_path, text) == []
