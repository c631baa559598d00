"""Modules that are to be frozen by an attribute."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.module_flags import module_flags
from torchlint.model import Project

HEAD = "import torch\nfrom torch import nn\nnet = nn.Sequential(nn.Linear(2, 2))\n"


def flags(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(HEAD + code)
    file = Project(folder).open(path, path.name)
    return [one.place.text for one in module_flags(file.evaluator(), file)]


@pytest.mark.parametrize("owner", ["net", "net[0]"])
def test_a_module_has_no_such_attribute(tmp_path: Path, owner: str) -> None:
    assert flags(tmp_path, f"{owner}.requires_grad = False\n") == [f"{owner}.requires_grad"]


@pytest.mark.parametrize(
    "code",
    [
        "net[0].weight.requires_grad = False\n",
        "for p in net.parameters():\n    p.requires_grad = False\n",
        "for name, p in net.named_parameters():\n    p.requires_grad = False\n",
        "def freeze(thing):\n    thing.requires_grad = False\n",
        "class Own:\n    pass\nown = Own()\nown.requires_grad = False\n",
        "class Own:\n    def freeze(self):\n        self.requires_grad = False\n",
        "net.requires_grad = False\nif net.requires_grad:\n    print(net)\n",
        "net.requires_grad_(False)\n",
        "class Own(nn.Module):\n    def __init__(self, flag):\n        super().__init__()\n"
        "        self.requires_grad = flag\n",
        "class Own(nn.Module):\n    def __init__(self, flag):\n        super().__init__()\n"
        "        self.requires_grad = flag\n    def forward(self, x):\n"
        "        return x if self.requires_grad else x.detach()\n",
    ],
)
def test_tensors_marks_and_what_nobody_knows_are_left_alone(tmp_path: Path, code: str) -> None:
    assert flags(tmp_path, code) == []
