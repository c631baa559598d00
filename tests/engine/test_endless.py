"""Programs whose values are made of themselves are linted to the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.projects import job_of, linted

_HEAD = """\
import torch
from collections import OrderedDict
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Subset, TensorDataset

x = torch.rand(2, 2)
net = nn.Linear(2, 2)
"""
_ENDLESS = {
    "functions that ask each other": (
        "def is_a(one):\n    return is_b(one)\n\n\ndef is_b(one):\n    return not is_a(one)\n\n\n"
        "if is_a(net):\n    net = net.module\ntorch.save(net.state_dict(), 'net.pt')\n"
    ),
    "kinds in kinds": (
        "kinds = (nn.Linear,)\nfor _ in range(3):\n    kinds = (kinds, nn.ReLU)\n"
        "for one in net.modules():\n    if isinstance(one, kinds):\n        one.cuda()\n"
    ),
    "a dict of itself": (
        "found = {'a': net}\nfor _ in range(3):\n    found = OrderedDict(found)\nnets = nn.ModuleDict(found)\n"
        "nets['a'].cuda()\n"
    ),
    "a data set of itself": (
        "data = TensorDataset(x.cuda())\nfor _ in range(3):\n    data = Subset(data, [0])\n"
        "loader = DataLoader(data, pin_memory=True)\n"
    ),
    "a module by its own name": (
        "net = DDP(net)\nbare = net.module\nfor _ in range(3):\n    bare = bare if x.sum() > 0 else net.module\n"
        "    torch.save(bare.state_dict(), 'net.pt')\n"
    ),
    "modules around themselves": (
        "for _ in range(3):\n    net = nn.Sequential(nn.ReLU(), net)\nnet.to('cuda')\nnet(x)\nnet.eval()\n"
        "with torch.no_grad():\n    print(net(x).sum())\n"
    ),
    "compiled around one another": (
        "one = two = net\nfor _ in range(3):\n    one = torch.compile(two)\n    three = torch.compile(one)\n"
        "    two = torch.compile(three)\nprint(one.width.height)\nif hasattr(two, 'width'):\n    two.width()\n"
    ),
    "iterators over themselves": (
        "rows = [x]\nfor _ in range(3):\n    rows = enumerate(rows)\nfor row in rows:\n    row.cuda()\n"
        "pairs = [x]\nfor _ in range(3):\n    pairs = zip(pairs, pairs)\nfor pair in pairs:\n    pair[0].cuda()\n"
    ),
    "lambdas that call each other": (
        "import time\n\nfirst = lambda one: second(one)\nsecond = lambda one: first(one) + one\nfor _ in range(10):\n"
        "    start = time.time()\n    second(x.cuda())\n    print(time.time() - start)\n"
    ),
    "a module that calls itself": (
        "class Net(nn.Module):\n    def forward(self, x):\n        a, b = self(x)\n        return b, a\n\n\n"
        "net = Net()\nfor _ in range(3):\n    a, b = net(x)\n    a.sum().backward()\n    b.sum().backward()\n"
    ),
    "a chain of names": (
        "a0 = torch.load('net.pt')\n"
        + "".join(f"a{i + 1} = a{i}\n" for i in range(3_000))
        + "net.load_state_dict(a3000)"
    ),
}


@pytest.mark.parametrize("name", _ENDLESS)
def test_every_rule_comes_to_an_end(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.py").write_text(f"{_HEAD}{_ENDLESS[name]}\n")

    (report,) = linted(job_of(tmp_path))

    assert report.errors == ()
