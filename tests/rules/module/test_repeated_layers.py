"""Lists that hold one layer several times."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.module.detectors.repeated_layers import repeated_layers
from torchlint.model import Project


def repeated(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(f"from torch import nn\n{code}")
    file = Project(folder).open(path, path.name)
    return [one.layer.text for one in repeated_layers(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("code", "layer"),
    [
        ("def f(n):\n    return nn.Sequential(*[nn.Linear(2, 2)] * n)\n", "nn.Linear(2, 2)"),
        ("layers = 3 * [nn.BatchNorm1d(2)]\n", "nn.BatchNorm1d(2)"),
        ("class Block(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
         "        self.body = nn.Linear(2, 2)\nlayers = [Block()] * 2\n", "Block()"),
    ],
)  # fmt: skip
def test_one_layer_stands_for_several(tmp_path: Path, code: str, layer: str) -> None:
    assert repeated(tmp_path, code) == [layer]


@pytest.mark.parametrize(
    "code",
    [
        "layers = [nn.ReLU()] * 3\n",
        "layers = [nn.Identity()] * 3\n",
        "layers = [nn.Linear(2, 2)] * 1\n",
        "shared = nn.Linear(2, 2)\nlayers = [shared] * 3\n",
        "layers = [nn.Linear] * 3\n",
        "layers = [build()] * 3\n",
        "layers = [nn.Linear(2, 2) for _ in range(3)]\n",
        "sizes = [int('2')] * 3\n",
    ],
)
def test_what_has_no_weights_or_a_name_is_left_alone(tmp_path: Path, code: str) -> None:
    assert repeated(tmp_path, code) == []
