"""Results of `torch.compile` that are never run."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.module.detectors.lost_compiles import lost_compiles
from torchlint.model import Project


def lost(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(f"import torch\nfrom torch import nn\n{code}")
    return [one.name for one in lost_compiles(Project(folder).open(path, path.name))]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("torch.compile(net)\n", ""),
        ("def f(net):\n    net = torch.compile(net)\n", "net"),
        ("def f(net):\n    net.eval()\n    fast = torch.compile(net)\n    return net\n", "fast"),
        ("class N(nn.Module):\n    def f(self):\n        self = torch.compile(self)\n        self.eval()\n", "self"),
        ("class N:\n    def f(self):\n        try:\n            self = torch.compile(self)\n        except Exception:\n"
         "            pass\n", "self"),
    ],
)  # fmt: skip
def test_nobody_runs_it(tmp_path: Path, code: str, name: str) -> None:
    assert lost(tmp_path, code) == [name]


@pytest.mark.parametrize(
    "code",
    [
        "net = torch.compile(net)\n",
        "def f(net):\n    net = torch.compile(net)\n    return net\n",
        "def f(net):\n    net = torch.compile(net)\n    def g(x):\n        return net(x)\n    return g\n",
        "def f(net):\n    global fast\n    fast = torch.compile(net)\n",
        "def f(net):\n    for _ in range(3):\n        use(net)\n        net = torch.compile(net)\n",
        "class N:\n    def f(self):\n        self.net = torch.compile(self.net)\n",
        "class N:\n    def f(self, x):\n        self = torch.compile(self)\n        return self(x)\n",
        "class N:\n    def f(self):\n        self = torch.compile(self)\n        return self\n",
        "@torch.compile\ndef f(x):\n    return x\n",
        "def f(net):\n    return torch.compile(net)\n",
        "try:\n    torch.compile(net)\nexcept Exception:\n    pass\n",
    ],
)
def test_what_is_run_or_given_on_is_left_alone(tmp_path: Path, code: str) -> None:
    assert lost(tmp_path, code) == []
