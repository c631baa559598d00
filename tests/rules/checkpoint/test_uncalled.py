"""Methods that are named where they were meant to be called."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from rules.checkpoint.detectors.uncalled import uncalled_methods
from tests.checkout import asked
from torchlint.model import Project

HEAD = "import torch\nfrom torch import nn\n"


def wants(folder: Path, source: str) -> list[tuple[str, str, bool]]:
    (folder / "main.py").write_text(HEAD + textwrap.dedent(source))
    found = asked(uncalled_methods, Project(folder).open(folder / "main.py", "main.py"))
    return [(one.place.text, one.want, one.is_sure) for one in found]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("model = nn.Linear(2, 1)\nmodel.eval", ("model.eval", "done", True)),
        ("def f(loss):\n    loss.backward", ("loss.backward", "done", True)),
        ("torch.cuda.synchronize", ("torch.cuda.synchronize", "done", True)),
        ("torch.cuda.reset_peak_memory_stats", ("torch.cuda.reset_peak_memory_stats", "done", True)),
        (
            "import torch.distributed as dist\ndist.destroy_process_group",
            ("dist.destroy_process_group", "done", True),
        ),
        ("def f(x):\n    if torch.cuda.is_available: x.cuda()", ("torch.cuda.is_available", "asked", True)),
        (
            "from torch.cuda import is_available\ndevice = 'cuda' if not is_available else 'cpu'",
            ("is_available", "asked", True),
        ),
        (
            "model = nn.Linear(2, 1)\nstate = {'model': model.state_dict}\ntorch.save(state, 'a.pt')",
            ("model.state_dict", "saved", True),
        ),
        ("def save(model, path): torch.save(model.state_dict, path)", ("model.state_dict", "saved", False)),
        ("x = torch.ones(2).sum()\nprint(x.item)", ("x.item", "shown", True)),
    ],
)
def test_a_method_without_parentheses_is_found(source: str, found: tuple[str, str, bool], tmp_path: Path) -> None:
    assert wants(tmp_path, source) == [found]


@pytest.mark.parametrize(
    "source",
    [
        "model = nn.Linear(2, 1)\nmodel.eval()",
        "torch.version.cuda",
        "class Clock:\n    @property\n    def step(self): return 1\nclock = Clock()\nclock.step",
        "class Point:\n    def __init__(self): self.train = 1\npoint = Point()\npoint.train",
        "model = nn.Linear(2, 1)\ncallbacks = []\ncallbacks.append(model.state_dict)",
        "def save(wanted, path): torch.save(wanted.state_dict, path)",
        "ask = torch.cuda.is_available\nif ask(): pass",
        "def f(sample): print(sample.item)",
    ],
)
def test_what_is_called_passed_on_or_no_method_is_left_alone(source: str, tmp_path: Path) -> None:
    assert wants(tmp_path, source) == []
