"""Leaves that are lost in a move."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.device.detectors.leaves import lost_leaves
from tests.checkout import asked
from torchlint.model import Project, SourceFile

HEAD = "import torch\nfrom torch import nn\nfrom torch.autograd import Variable\ndevice = 'cuda'\n"


def lost(folder: Path, code: str, **others: str) -> list[tuple[str, bool]]:
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text)
    path = folder / "program.py"
    path.write_text(HEAD + code)
    return [(one.place.text, one.is_parameter) for one in asked(lost_leaves, Project(folder).open(path, path.name))]


def test_a_parameter_that_is_moved_as_it_is_made_is_none(tmp_path: Path) -> None:
    code = "a = nn.Parameter(torch.ones(2)).to(device) * 2\nb = nn.Parameter(torch.ones(2).to(device))\n"

    assert lost(tmp_path, code) == [("nn.Parameter(torch.ones(2)).to(device)", True)]


@pytest.mark.parametrize(
    "leaf",
    [
        "torch.ones(2, requires_grad=True).cuda()",
        "torch.ones(2).requires_grad_().to(device)",
        "Variable(torch.ones(2), requires_grad=True).cuda()",
    ],
)
@pytest.mark.parametrize("use", ["x.grad", "torch.optim.SGD([x], lr=1)", "torch.optim.SGD([{'params': [x]}], lr=1)"])
def test_a_copy_is_taken_for_a_leaf(tmp_path: Path, leaf: str, use: str) -> None:
    assert lost(tmp_path, f"x = {leaf}\n{use}\n") == [(leaf, False)]


def test_a_gradient_that_nobody_reads_is_not_missed(tmp_path: Path) -> None:
    assert lost(tmp_path, "x = torch.ones(2, requires_grad=True).cuda()\nx.sum().backward()\n") == []


def test_another_file_may_be_the_one_that_reads_it(tmp_path: Path) -> None:
    code = "def make():\n    return torch.ones(2, requires_grad=True).cuda()\n"
    main = "import program\nx = program.make()\nx.sum().backward()\nprint(x.grad)\n"

    assert lost(tmp_path, code, main=main) == [("torch.ones(2, requires_grad=True).cuda()", False)]


@pytest.mark.parametrize(
    "kept",
    [
        "leaf = torch.ones(2, requires_grad=True)\nx = leaf.to(device)\nleaf.grad\n",
        "x = torch.ones(2, requires_grad=True).to(device)\nx.retain_grad()\nx.grad\n",
        "x = torch.ones(2, requires_grad=True, device=device).to(device)\nx.grad\n",
        "x = torch.ones(2, requires_grad=True).to('cpu')\nx.grad\n",
        "x = torch.ones(2, requires_grad=True).to(torch.float32)\nx.grad\n",
        "x = torch.ones(2).to(device)\nx.grad\n",
        "x = Variable(torch.ones(2))\nx = x.to(device)\nx.grad\n",
    ],
)
def test_a_leaf_that_is_kept_or_not_copied_is_not_lost(tmp_path: Path, kept: str) -> None:
    assert lost(tmp_path, kept) == []


@pytest.mark.parametrize("leaf", ["torch.ones(2, requires_grad=True)", "Variable(torch.ones(2), requires_grad=True)"])
def test_a_leaf_is_lost_when_its_name_is_given_to_the_copy(tmp_path: Path, leaf: str) -> None:
    assert lost(tmp_path, f"x = {leaf}\nx = x.to(device)\nx.grad\n") == [("x.to(device)", False)]


@pytest.mark.parametrize(
    ("use", "is_lost"),
    [("", False), ("        self.loss_of(1).backward()\n", False), ("        self.w = self.loss_of(1)\n", True)],
)
def test_a_parameter_that_is_returned_is_lost_where_it_is_made_an_attribute(
    tmp_path: Path, use: str, is_lost: bool
) -> None:
    code = (
        "class Net(nn.Module):\n    def fit(self):\n        pass\n" + use + "    def loss_of(self, x):\n"
        "        return nn.Parameter(torch.ones(2)).to(device)\n"
    )

    assert lost(tmp_path, code) == ([("nn.Parameter(torch.ones(2)).to(device)", True)] if is_lost else [])


@pytest.mark.parametrize(
    "computed",
    [
        "(torch.ones(2, requires_grad=True) * 2).to(device)",
        "(scale * torch.ones(2, requires_grad=True) + 1).to(device)",
        "(torch.ones(2, requires_grad=True) / math.sqrt(2)).cuda()",
        "(-torch.ones(2, requires_grad=True)).cuda()",
        "torch.ones(2, requires_grad=True).view(2, 1).mul(3).cuda()",
        "nn.Parameter(torch.ones(2)).mul(0.1).cuda()",
    ],
)
@pytest.mark.parametrize("use", ["x.grad", "torch.optim.SGD([x], lr=1)"])
def test_what_is_computed_from_a_leaf_is_taken_for_one(tmp_path: Path, computed: str, use: str) -> None:
    (found,) = asked(lost_leaves, _opened(tmp_path, f"import math\nx = {computed}\n{use}\n"))

    assert (found.place.text, found.is_computed) == (computed, True)


@pytest.mark.parametrize(
    "code",
    [
        "x = (torch.ones(2, requires_grad=True) * 2).to(device)\nx.sum().backward()",
        "x = (torch.ones(2) * 2).to(device).requires_grad_()\nx.grad",
        "x = torch.ones(2, requires_grad=True).detach().to(device)\nx.grad",
        "x = (torch.ones(2, requires_grad=True) * 2).to(device)\nx.retain_grad()\nx.grad",
        "x = (torch.ones(2, requires_grad=True) * 2).to('cpu')\nx.grad",
        "leaf = torch.ones(2, requires_grad=True)\nx = (leaf * 2).to(device)\nleaf.grad",
        "x = (make(torch.ones(2, requires_grad=True)) * 2).to(device)\nx.grad",
    ],
)
def test_a_result_whose_gradient_nobody_asks_for_loses_nothing(tmp_path: Path, code: str) -> None:
    assert lost(tmp_path, code) == []


def _opened(folder: Path, code: str) -> SourceFile:
    path = folder / "program.py"
    path.write_text(HEAD + code)
    return Project(folder).open(path, path.name)


POINT = "def f(x, y):\n    every = torch.cat([x, x]).mean(0)\n    p = {}\n    torch.optim.SGD([p], lr=1)\nf(load(), load())\n"


@pytest.mark.parametrize("move", [".to(x.device)", ".to(device=x.device)"])
@pytest.mark.parametrize("leaf", ["nn.Parameter(every)", "nn.Parameter(2 * x)"])
def test_what_goes_where_its_data_are_is_not_copied(tmp_path: Path, leaf: str, move: str) -> None:
    assert lost(tmp_path, POINT.format(leaf + move)) == []


def test_what_goes_where_another_tensor_is_may_be(tmp_path: Path) -> None:
    assert lost(tmp_path, POINT.format("nn.Parameter(every).to(y.device)")) == [
        ("nn.Parameter(every).to(y.device)", True)
    ]
