"""What loops carry over meets the device in the first iteration, with its initial value."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.device.detectors.misplaced import misplaced_tensors
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

HEAD = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(5, 4, 4, device=device)
cell = nn.GRUCell(4, 4).to(device)
pair = nn.LSTMCell(4, 4).to(device)
layer = nn.Linear(4, 4).to(device)
h = torch.zeros(4, 4)
c = torch.zeros(4, 4)
state = torch.zeros(4, 4, device=device)
"""
IN_MODULE = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x):
        h = torch.zeros(4, 4)
        for step in x:
            h = self.cell(step, h)
        return h
"""


def misplaced(folder: Path, body: str) -> list[str]:
    path = folder / "main.py"
    path.write_text(HEAD + body)
    file = Project(folder).open(path, "main.py")
    return [
        one.place.text
        for kind in ("factory", "batch", "other")
        for one in asked(misplaced_tensors, file, WITH_CUDA, kind)
    ]


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("for step in x:\n    h = cell(step, h)\n", "h"),
        ("for step in x:\n    h, c = pair(step, (h, c))\n", "(h, c)"),
        ("for step in x:\n    h = cell(step, h)\n    h = h.detach()\n", "h"),
        ("for step in x:\n    if len(step):\n        h = cell(step, h)\n        h = h * 2\n", "h"),
        ("for step in x:\n    y = layer(h)\n    h = y + state\n", "h"),
        ("while h.sum() < 3:\n    y = layer(h)\n    h = y\n", "h"),
        (IN_MODULE, "torch.zeros(4, 4)"),
    ],
)
def test_what_a_loop_begins_with_on_the_host_meets_the_device_there(tmp_path: Path, body: str, left: str) -> None:
    assert misplaced(tmp_path, body) == [left]


@pytest.mark.parametrize(
    "body",
    [
        "h = torch.zeros(4, 4, device=device)\nfor step in x:\n    h = cell(step, h)\n",
        "for i, step in enumerate(x):\n    if i == 0:\n        h = layer(step)\n    else:\n        h = cell(step, h)\n",
        "for i, step in enumerate(x):\n    if i > 0:\n        y = cell(step, h)\n    h = layer(step)\n",
        "for i, step in enumerate(x):\n    if i == 0:\n        h = layer(step)\n        continue\n    h = cell(step, h)\n",
        "for i, step in enumerate(x):\n    h = cell(step, h) if i > 0 else layer(step)\n",
        "for i, step in enumerate(x):\n    y = i > 0 and cell(step, h)\n    h = layer(step)\n",
        "for step in x:\n    h = layer(step)\n    h = cell(step, h)\n",
        "for step in x:\n    h = h.to(device)\n    h = cell(step, h)\n",
        IN_MODULE.replace("(4, 4)\n        for", "(4, 4).to(x)\n        for"),
    ],
)
def test_what_the_first_round_itself_brings_to_the_device_is_right(tmp_path: Path, body: str) -> None:
    assert misplaced(tmp_path, body) == []
