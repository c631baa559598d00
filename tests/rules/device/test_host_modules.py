"""Which methods of modules run on the host, in every call context."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.device.detectors.misplaced import misplaced_tensors
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

NETS = """\
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 4)

    def decode(self):
        return self.layer(torch.randn((1, 8)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.decoder = nn.Linear(8, 4), Decoder()

    def forward(self, x):
        return self.embed(x) + torch.ones(3, 4)

    def encode(self, x):
        return self.embed(x)

    def export(self):
        return self.encode(torch.randn((1, 8)))


"""
LOAD = """\
def load(path, device="cpu"):
    net = Net()
    net.to(device)
    net.load_state_dict(torch.load(path, map_location=device))
    return net


"""
EXPORTED = LOAD + "load('net.pt').export()\n"
CALLED = "net = Net().to('cpu')\nnet(torch.randn(3, 8))\n"


def left_behind(folder: Path, code: str, **others: str) -> list[str]:
    """Return the methods in which a tensor on the host meets a module that may have been moved."""
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text)
    path = folder / "nets.py"
    path.write_text(NETS + code)
    file = Project(folder).open(path, path.name)
    found = [*asked(misplaced_tensors, file, WITH_CUDA, "batch"), *asked(misplaced_tensors, file, WITH_CUDA, "factory")]
    return sorted({one.used.scope.name for one in found})


@pytest.mark.parametrize(
    ("code", "method"),
    [
        (EXPORTED, "encode"),
        ("net = Net()\nnet.to('cpu')\nnet.export()\n", "encode"),
        ("net = Net().cpu()\nnet.export()\n", "encode"),
        (CALLED, "forward"),
        (LOAD + "net = load('net.pt')\nnet.decoder.decode()\n", "decode"),
    ],
)
def test_a_module_that_is_on_the_host_before_each_call_is_left_alone(tmp_path: Path, code: str, method: str) -> None:
    assert method not in left_behind(tmp_path, code)


@pytest.mark.parametrize(
    "code",
    [
        LOAD + "load('net.pt', 'cuda').export()\n",
        LOAD + "load('net.pt').to('cuda').export()\n",
        EXPORTED + "net = load('net.pt')\nnet.cuda()\nnet.export()\n",
        EXPORTED + "net = Net().cuda()\nnet.export()\n",
        "Net().to('cpu')\n",
    ],
)
def test_a_module_that_one_caller_takes_off_the_host_may_be_anywhere(tmp_path: Path, code: str) -> None:
    assert "encode" in left_behind(tmp_path, code)


@pytest.mark.parametrize(
    "code",
    [
        "NETS = {'net': Net}\n",
        "def train(build, device):\n    build().to(device)\ntrain(Net, 'cuda')\n",
        "__all__ = ['Net']\n",
        "class Larger(Net):\n    pass\n",
    ],
)
def test_a_class_that_is_handed_on_may_be_made_and_moved_by_anybody(tmp_path: Path, code: str) -> None:
    assert "forward" in left_behind(tmp_path, CALLED + code)


def test_another_file_may_make_and_move_one(tmp_path: Path) -> None:
    train = "from nets import Net\ndef train(device, x):\n    net = Net().to(device)\n    return net(x)\n"

    assert "forward" in left_behind(tmp_path, CALLED, train=train)


def test_a_class_of_the_same_name_is_another_one(tmp_path: Path) -> None:
    other = "from torch import nn\nclass Net(nn.Module):\n    pass\nNet().to('cuda')\n"

    assert "encode" not in left_behind(tmp_path, EXPORTED, other=other)


def test_a_tensor_that_the_method_itself_moves_is_on_the_device(tmp_path: Path) -> None:
    code = (
        "class Head(nn.Module):\n    def mix(self, x):\n        return x.to('cuda') + torch.ones(3)\n"
        "head = Head().to('cpu')\nhead.mix(torch.randn(3))\n"
    )

    assert "mix" in left_behind(tmp_path, code)
