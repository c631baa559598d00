"""How many GPUs a program leaves itself, and which it asks for beyond them."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project
from torchlint.model.devices.visible import visible_gpus

HEAD = "import os\nimport torch\nfrom torch import nn\n"
TWO = "os.environ['CUDA_VISIBLE_DEVICES'] = '2,3'\n"


def absent(folder: Path, code: str, **others: str) -> list[tuple[str, int]]:
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text)
    path = folder / "program.py"
    path.write_text(HEAD + code)
    return [(one.place.text, one.count) for one in Project(folder).open(path, path.name).absent_devices()]


@pytest.mark.parametrize(
    ("value", "count"), [("0", 1), ("2, 3", 2), ("0,1,-1,2", 2), ("", 0), ("-1", 0), ("GPU-8932f937-d72c,3", 2)]
)
def test_the_list_ends_at_the_first_that_is_no_gpu(value: str, count: int) -> None:
    assert visible_gpus(value) == count


def test_what_is_visible_is_counted_from_zero(tmp_path: Path) -> None:
    code = f"{TWO}torch.device('cuda:1')\ntorch.device('cuda:2')\ntorch.device('cuda', 3)\ntorch.ones(1).cuda(2)\n"

    assert absent(tmp_path, code) == [("'cuda:2'", 2), ("3", 2), ("2", 2)]


def test_lists_of_wrappers_count(tmp_path: Path) -> None:
    assert absent(tmp_path, f"{TWO}ids = [1, 2]\nnn.DataParallel(nn.Linear(2, 2), device_ids=ids)\n") == [("2", 2)]


def test_a_program_that_asks_how_many_there_are_knows_better(tmp_path: Path) -> None:
    assert absent(tmp_path, f"{TWO}if torch.cuda.device_count() > 4:\n    torch.ones(1).cuda(4)\n") == []


@pytest.mark.parametrize(
    "store",
    [
        "os.environ.setdefault('CUDA_VISIBLE_DEVICES', '0')\n",
        "import sys\nif sys.argv:\n    os.environ['CUDA_VISIBLE_DEVICES'] = '0'\n",
        "import sys\nos.environ['CUDA_VISIBLE_DEVICES'] = sys.argv[1]\n",
        "torch.cuda.is_available()\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n",
    ],
)
def test_a_store_that_may_have_no_effect_says_nothing(tmp_path: Path, store: str) -> None:
    assert absent(tmp_path, f"{store}torch.ones(1).cuda(3)\n") == []


def test_the_program_that_imports_a_file_speaks_for_it(tmp_path: Path) -> None:
    code = "def place(x):\n    return torch.ones(1).cuda(3)\n"

    assert absent(tmp_path, code, main=f"import program\n{HEAD}{TWO}") == [("3", 2)]
    assert absent(tmp_path, code, main=f"{HEAD}{TWO}") == []
