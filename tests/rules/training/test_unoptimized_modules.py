"""Modules with parameters that the loss is computed with, and no optimizer is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.unoptimized_modules import unoptimized_modules
from torchlint.model import Project

PROGRAM = """import torch
from torch import nn, optim
class Weighing(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.Parameter(torch.zeros(2))
    def forward(self, one, other):
        return (self.scales * torch.stack([one, other])).sum()
def train(model, weighing, batches, optimizer):
    for x, y in batches:
        loss = weighing(model(x).mean(), y.mean())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
def main(batches):
    model = nn.Linear(2, 2)
    weighing = Weighing().cuda()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    train(model, weighing, batches, optimizer)
main([])
"""
_MADE = "    weighing = Weighing().cuda()\n"
_PARAMETER = "        self.scales = nn.Parameter(torch.zeros(2))\n"


def unoptimized(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(code)
    file = Project(folder).open(path, path.name)
    return [one.made.text for one in unoptimized_modules(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        (_MADE, "    weighing = Weighing()\n    weighing = weighing.to('cuda')\n"),
        (_MADE, f"{_MADE}    weighing.train()\n"),
        ("        loss =", "        part ="),
        ("weighing, batches, optimizer)\nmain", "weighing=weighing, batches=batches, optimizer=optimizer)\nmain"),
        ("loss.backward()", "(loss * 2).backward()"),
        ("nn.Parameter(torch.zeros(2))", "nn.Linear(2, 2)"),
        ("nn.Parameter(torch.zeros(2))", "nn.Sequential(nn.Linear(2, 2), nn.ReLU())"),
    ],
)
def test_a_module_gets_gradients_and_no_optimizer(tmp_path: Path, old: str, new: str) -> None:
    code = PROGRAM.replace(old, new).replace("part = weighing(model(x).mean(), y.mean())", _IN_PARTS)

    assert unoptimized(tmp_path, code) == ["Weighing()"]


_IN_PARTS = "part = weighing(model(x).mean(), y.mean())\n        loss = 1 + 0.1 * part"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("optim.SGD(model.parameters()", "optim.SGD([*model.parameters(), *weighing.parameters()]"),
        ("optim.SGD(model.parameters()", "optim.SGD([{'params': m.parameters()} for m in (model, weighing)]"),
        ("optim.SGD(model.parameters()", "optim.SGD(nn.ModuleList([model, weighing]).parameters()"),
        ("    train(model, w", "    optimizer.add_param_group({'params': weighing.parameters()})\n    train(model, w"),
        ("    train(model, w", "    model, weighing = unknown(model, weighing)\n    train(model, w"),
        ("    train(model, w", "    model.weighing = weighing\n    train(model, w"),
        (_MADE, f"{_MADE}    weighing.requires_grad_(False)\n"),
        (_MADE, f"{_MADE}    weighing.load_state_dict(torch.load('w.pt'))\n"),
        (_MADE, f"{_MADE}    weighing.eval()\n"),
        (_MADE, f"{_MADE}    models = locals()\n"),
        (_MADE, f"{_MADE}    weighing.scales.data.fill_(1)\n"),
        ("zeros(2))", "zeros(2), requires_grad=False)"),
        (_PARAMETER, f"{_PARAMETER}        self.load_state_dict(torch.load('w.pt'))\n"),
        (_PARAMETER, "        self.scales = torch.zeros(2)\n"),
        (_PARAMETER, "        self.scales = nn.ReLU()\n"),
        ("weighing(model(x).mean(), y.mean())", "weighing(model(x).mean(), y.mean()).detach() + model(x).sum()"),
        (
            "        loss =",
            "        with torch.no_grad():\n            weighing(x.mean(), y.mean())\n        loss = 2 #",
        ),
        ("optim.SGD(", "unknown("),
        ("        optimizer.step()\n", ""),
    ],
)
def test_what_may_be_trained_or_is_not_to_be_is_left_alone(tmp_path: Path, old: str, new: str) -> None:
    assert old in PROGRAM
    assert unoptimized(tmp_path, PROGRAM.replace(old, new)) == []


_KEPT = """class Trainer:
    def __init__(self, model):
        self.model, self.optimizer = model, optim.SGD(model.parameters(), lr=0.1)
        self.weighing = Weighing()
    def fit(self, batches):
        for x, y in batches:
            self.weighing(self.model(x).mean(), y.mean()).backward()
            self.optimizer.step()
Trainer(nn.Linear(2, 2)).fit([])
"""


@pytest.mark.parametrize(("imported", "found"), [("from program import Trainer\n", []), ("", ["Weighing()"])])
def test_an_attribute_may_be_listed_by_a_file_of_the_same_program(
    tmp_path: Path, imported: str, found: list[str]
) -> None:
    (tmp_path / "other.py").write_text(f"{imported}def params(t):\n    return t.weighing.parameters()\n")
    kept = _KEPT.replace("self.weighing(self.model(x).mean(), y.mean())", "loss").replace(
        "            loss", "            loss = self.weighing(self.model(x).mean(), y.mean())\n            loss"
    )

    assert unoptimized(tmp_path, PROGRAM.partition("def train")[0] + kept) == found


@pytest.mark.parametrize(("calls", "expected"), [(1, ["Weighing()"]), (100, [])])
def test_of_a_module_with_more_reads_than_are_followed_nothing_is_known(
    tmp_path: Path, calls: int, expected: list[str]
) -> None:
    more = "        print(weighing(model(x).mean(), 1))\n" * calls
    code = PROGRAM.replace("        loss.backward()\n", f"{more}        loss.backward()\n")

    assert unoptimized(tmp_path, code) == expected


def test_reads_of_results_count_among_those_that_are_followed(tmp_path: Path) -> None:
    more = "        print(loss)\n" * 100
    code = PROGRAM.replace("        loss.backward()\n", f"{more}        loss.backward()\n        best(weighing)\n")
    code = code.replace("def train(", "def best(it):\n    return torch.optim.SGD(list(it.parameters()))\ndef train(")

    assert unoptimized(tmp_path, code) == []
