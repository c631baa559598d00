"""Modules that a program makes, calls and moves nowhere, and those that others may make and move."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.device.detectors.misplaced import misplaced_tensors
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

NET = """\
import sys
import torch
from torch import nn
class Net(nn.Module):
    def forward(self, x):
        mean = torch.tensor([0.4, 0.5, 0.6])
        return x - mean
"""
RUN = """\
def set_up():
    sys.path.append("..")
def run():
    net = Net()
    net.eval()
    out = net.forward(torch.zeros(2, 3))
    torch.onnx.export(net, torch.zeros(2, 3), "net.onnx")
"""
# Some other file of the project has a GPU.
OTHER = "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\n"


def left_behind(folder: Path, code: str, **others: str) -> list[str]:
    """Return the tensors that are made on the host where a module may be elsewhere."""
    for name, text in {"export": code, "other": OTHER, **others}.items():
        (folder / f"{name}.py").write_text(text)
    file = Project(folder).open(folder / "export.py", "export.py")
    return sorted({one.place.text for one in asked(misplaced_tensors, file, WITH_CUDA, "factory")})


@pytest.mark.parametrize(
    "code",
    [
        NET + RUN + "set_up()\nif __name__ == '__main__':\n    run()\n",
        NET + RUN + "run()\n",
        NET + "print(Net().forward(torch.zeros(2, 3)))\n",
        NET + "net = Net()\nprint(net.forward(torch.zeros(2, 3)))\n",
        NET + "net = Net()\nout = net.forward(torch.zeros(2, 3))\nprint(out)\n",
    ],
)
def test_what_a_program_makes_and_moves_nowhere_stays_on_the_host(tmp_path: Path, code: str) -> None:
    assert left_behind(tmp_path, code) == []


@pytest.mark.parametrize(
    "code",
    [
        NET + RUN + "if __name__ == '__main__':\n    run()\n",
        NET + "if __name__ == '__main__':\n    print(Net().forward(torch.zeros(2, 3)))\n",
        NET + "net = Net()\nprint(net)\n",
        NET + RUN + "there = set_up()\nif __name__ == '__main__':\n    run()\n",
        NET + RUN.replace("    net.eval()\n", "    ready(net)\n") + "from elsewhere import ready\nrun()\n",
        NET + RUN.replace("net.eval()", "net.cuda()") + "run()\n",
        NET + RUN + "run()\ndef move(net, device):\n    return net.to(device)\n",
        NET + RUN + "run()\nNETS = [Net]\n",
        NET.replace("    def forward", "    def on(self):\n        self.to('cuda')\n    def forward") + RUN + "run()\n",
    ],
    ids=[
        "imported",
        "printed",
        "made",
        "imported with what it sets up",
        "given away",
        "moved",
        "movable",
        "handed on",
        "moves itself",
    ],
)
def test_what_others_may_move_may_be_anywhere(tmp_path: Path, code: str) -> None:
    assert left_behind(tmp_path, code) == ["torch.tensor([0.4, 0.5, 0.6])"]


def test_what_another_file_makes_of_a_program_may_be_anywhere(tmp_path: Path) -> None:
    train = "from export import Net\ndef train(x, device):\n    return Net().to(device)(x)\n"

    assert left_behind(tmp_path, NET + RUN + "run()\n", train=train) == ["torch.tensor([0.4, 0.5, 0.6])"]
