"""Results of `torch.compile` that are never run."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.module.detectors.lost_compiles import lost_compiles
from torchlint.model import Project


def lost(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(f"import torch\nfrom torch import nn\n{code}")
    file = Project(folder).open(path, path.name)
    return [one.name for one in lost_compiles(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("torch.compile(net)\n", ""),
        ("def f(net):\n    net = torch.compile(net)\n", "net"),
        ("def f(net):\n    net.eval()\n    fast = torch.compile(net)\n    return net\n", "fast"),
        ("class N(nn.Module):\n    def f(self):\n        self = torch.compile(self)\n        self.eval()\n", "self"),
        ("net = nn.Linear(2, 2)\nuse(net)\nnet = torch.compile(net)\n", "net"),
        ("def f(net):\n    return net(1)\nnet = nn.Linear(2, 2)\nuse(net)\nnet = torch.compile(net)\n", "net"),
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
        "fast = torch.compile(nn.Linear(2, 2))\n",
        "use(net)\nnet = torch.compile(net)\nuse(net)\n",
        "def f(x):\n    return net(x)\nnet = nn.Linear(2, 2)\nuse(net)\nnet = torch.compile(net)\n",
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


PARTS = """class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
    def observe(self, x):
        return self.body(x)
class Net(Base):
    pass
net = Net()
fast = torch.compile(net)
fast.observe(torch.ones(1, 2))
"""
OBSERVE = "    def observe(self, x):"


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("", "", ["Net"]),
        ("fast = torch.compile(net)", "net = fast = torch.compile(net)", ["Net"]),
        (OBSERVE, f"    def forward(self, x):\n        return x\n{OBSERVE}", []),
        (OBSERVE, f"    def __call__(self, x):\n        return x\n{OBSERVE}", []),
        ("class Base(nn.Module):", "class Base(nn.Linear):", []),
        ("class Base(nn.Module):", "from other import Mixed\nclass Base(Mixed):", []),
        ("fast = torch", "net.forward = net.observe\nfast = torch", []),
        ("super().__init__()", "super().__init__()\n        self.forward = self.observe", []),
        ("torch.compile(net)", "torch.compile(net.observe)", []),
    ],
)
def test_a_module_without_forward_is_compiled_for_nothing(tmp_path: Path, old: str, new: str, kinds: list[str]) -> None:
    path = tmp_path / "program.py"
    path.write_text(f"import torch\nfrom torch import nn\n{PARTS.replace(old, new) if old else PARTS}")
    file = Project(tmp_path).open(path, path.name)

    assert [one.kind for one in lost_compiles(file.evaluator(), file)] == kinds


def test_a_name_that_another_file_imports_may_be_read_there(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("from program import net\nnet(1)\n")

    assert lost(tmp_path, "net = nn.Linear(2, 2)\nuse(net)\nnet = torch.compile(net)\n") == []
