"""Layers and losses that refuse the dtype of what they are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.numerics.detectors.refused_dtypes import (
    changes_modules,
    refused_doubles,
    refused_features,
    refused_labels,
    refused_targets,
)
from torchlint.model import Project
from torchlint.model.worlds import ANYWHERE

PROGRAM = """import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
    def forward(self, x):
        return self.first(x)
x = torch.from_numpy(np.random.rand(4, 2))
y = torch.from_numpy(np.zeros(4, dtype=np.int32))
net = Net()
scores = net(x)
loss = F.cross_entropy(scores, y)
"""
_FIRST = "        return self.first(x)\n"


def refused(folder: Path, code: str) -> tuple[list[str], list[str]]:
    path = folder / "program.py"
    path.write_text(code)
    file = Project(folder).open(path, path.name)
    features, labels = (list(find(file.evaluator(), file)) for find in (refused_features, refused_labels))
    return [one.call.text for one in features], [one.call.text for one in labels]


@pytest.mark.parametrize(
    ("old", "new", "call"),
    [
        ("", "", "net(x)"),
        ("net(x)", "net(x.cuda())", "net(x.cuda())"),
        ("net = Net()", "net = nn.Linear(2, 2)", "net(x)"),
        ("net = Net()", "net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())", "net(x)"),
        ("nn.Linear(2, 2)", "nn.Sequential(nn.Linear(2, 2))", "net(x)"),
        (_FIRST, f"        x = x.view(-1, 2)\n{_FIRST}", "net(x)"),
        ("np.random.rand(4, 2)", "np.linspace(0, 1, 8).reshape(4, 2)", "net(x)"),
    ],
)
def test_doubles_are_refused(tmp_path: Path, old: str, new: str, call: str) -> None:
    assert refused(tmp_path, PROGRAM.replace(old, new) if old else PROGRAM)[0] == [call]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("net(x)", "net(x.float())"),
        ("net(x)", "net(unknown(x))"),
        ("rand(4, 2)", "rand(4, 2).astype('float32')"),
        ("net = Net()", "net = Net().double()"),
        ("net = Net()", "net = Net().to(torch.float64)"),
        ("net = Net()", "net = Net().to(dtype=dtype)"),
        ("net = Net()", "net = Net().type(torch.float64)"),
        ("net = Net()", "net = Net()\ntrainer = Trainer(precision='64-true')"),
        ("net = Net()", "torch.set_default_dtype(torch.float64)\nnet = Net()"),
        ("net = Net()", "net = nn.Embedding(2, 2)"),
        ("net = Net()", "net = nn.ReLU()"),
        ("nn.Linear(2, 2)", "nn.Linear(2, 2, dtype=torch.float64)"),
        (_FIRST, f"        x = x.float()\n{_FIRST}"),
        (_FIRST, "        if x.dtype == torch.float32:\n            return self.first(x)\n        return x\n"),
        ("scores = net(x)", "try:\n    scores = net(x)\nexcept RuntimeError:\n    scores = net(x.float())"),
    ],
)
def test_what_is_converted_or_may_be_is_left_alone(tmp_path: Path, old: str, new: str) -> None:
    assert old in PROGRAM
    assert refused(tmp_path, PROGRAM.replace(old, new))[0] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("np.zeros(4, dtype=np.int32)", "np.zeros(4).astype('int16')"),
        ("torch.from_numpy(np.zeros(4, dtype=np.int32))", "torch.zeros(4).int()"),
        ("torch.from_numpy(np.zeros(4, dtype=np.int32))", "torch.zeros(4, dtype=torch.int32)"),
        ("torch.from_numpy(np.zeros(4, dtype=np.int32))", "torch.IntTensor([0, 1, 0, 1])"),
        ("F.cross_entropy(", "nn.CrossEntropyLoss()("),
        ("F.cross_entropy(", "F.nll_loss("),
        ("scores, y)", "scores, target=y)"),
    ],
)
def test_labels_of_int32_are_refused(tmp_path: Path, old: str, new: str) -> None:
    assert len(refused(tmp_path, PROGRAM.replace(old, new))[1]) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scores, y)", "scores, y.long())"),
        ("np.int32", "np.int64"),
        ("np.int32", "np.uint8"),
        ("np.int32", "unknown"),
        ("F.cross_entropy(", "F.mse_loss("),
        ("loss = F", "with pytest.raises(RuntimeError):\n    loss = F"),
    ],
)
def test_other_labels_are_left_alone(tmp_path: Path, old: str, new: str) -> None:
    assert old in PROGRAM
    assert refused(tmp_path, PROGRAM.replace(old, new))[1] == []


@pytest.mark.parametrize("conversion", ["net.half()", "net.to(torch.float16)", "net.type(torch.float16)"])
def test_a_module_that_is_converted_in_place_is_asked_for_before_tensors(tmp_path: Path, conversion: str) -> None:
    tensors = "".join(f"x{n} = (x * {n}).float() + x.to(torch.float32)\n" for n in range(100))
    (tmp_path / "program.py").write_text(f"{PROGRAM}{tensors}{conversion}\n")
    project = Project(tmp_path)
    project.library.steps.allow(100)

    assert changes_modules(project.evaluator(ANYWHERE))


def targets_in(folder: Path, made: str, loss: str) -> list[str]:
    path = folder / "program.py"
    head = PROGRAM.partition("x = ")[0] + "net, x = Net(), torch.ones(4, 2)\ny = torch.ones(4, 2)\n"
    path.write_text(f"{head}{made}\n{loss}\n")
    file = Project(folder).open(path, path.name)
    return [one.numbers.dtype for one in refused_targets(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("made", "loss", "dtype"),
    [
        ("t = torch.randint(0, 2, (4, 2))", "nn.BCEWithLogitsLoss()(net(x), t)", "int64"),
        ("t = torch.randint(0, 2, (4, 2))", "F.binary_cross_entropy(net(x).sigmoid(), target=t)", "int64"),
        ("t = torch.zeros(4, 2, dtype=torch.bool)", "F.binary_cross_entropy_with_logits(net(x), t)", "bool"),
        ("t = torch.from_numpy(np.zeros((4, 2), dtype=np.int32))", "nn.KLDivLoss()(net(x), t)", "int32"),
        ("t = torch.zeros(4, 2).bool()", "criterion = nn.L1Loss()\ncriterion(net(x), t)", "bool"),
        ("t = y.long()", "bce = nn.BCELoss()\nbce(net(x).sigmoid(), t)", "int64"),
    ],
)
def test_integer_targets_are_refused(tmp_path: Path, made: str, loss: str, dtype: str) -> None:
    assert targets_in(tmp_path, made, loss) == [dtype]


@pytest.mark.parametrize(
    ("made", "loss"),
    [
        ("t = torch.randint(0, 2, (4, 2))", "nn.BCEWithLogitsLoss()(net(x), t.float())"),
        ("t = torch.randint(0, 2, (4, 2))", "nn.BCEWithLogitsLoss()(net(x), t.to(x.dtype))"),
        ("t = torch.randint(0, 2, (4, 2)).type_as(x)", "nn.BCEWithLogitsLoss()(net(x), t)"),
        ("t = torch.randint(0, 2, (4, 2))", "nn.MSELoss()(net(x), t)"),
        ("t = torch.randint(0, 2, (4, 2))", "nn.L1Loss()(net(x), t)"),
        ("t = torch.randint(0, 2, (4,))", "nn.CrossEntropyLoss()(net(x), t)"),
        ("t = torch.zeros(4, 2)", "nn.BCEWithLogitsLoss()(net(x), t)"),
        ("t = load()", "nn.BCEWithLogitsLoss()(net(x), t)"),
        ("t = y.long() if flag else y", "nn.BCEWithLogitsLoss()(net(x), t)"),
        ("t = y.long()", "try:\n    nn.BCELoss()(net(x), t)\nexcept RuntimeError:\n    pass"),
    ],
)
def test_targets_that_are_taken_are_not(tmp_path: Path, made: str, loss: str) -> None:
    assert not targets_in(tmp_path, made, loss)


BINARY = """import numpy as np
import torch
from torch import nn
y = torch.from_numpy(np.random.rand(4))
net = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
loss = nn.BCELoss()(net(torch.ones(4, 2)).squeeze(1), y)
"""


@pytest.mark.parametrize(
    ("old", "new", "is_found"),
    [
        ("BCELoss", "BCELoss", True),
        ("BCELoss", "HuberLoss", True),
        ("nn.Sigmoid())", "nn.Sigmoid()).cuda()", True),
        ("BCELoss", "MSELoss", False),
        (", y)", ", y.float())", False),
        (".squeeze(1)", ".squeeze(1).double()", False),
        (".squeeze(1)", ".squeeze(1) * y", False),
        ("nn.Sigmoid())", "nn.Sigmoid()).double()", False),
        ("nn.Linear(2, 1)", "nn.Linear(2, 1, dtype=torch.float64)", False),
    ],
)
def test_double_targets_are_refused(tmp_path: Path, old: str, new: str, is_found: bool) -> None:
    path = tmp_path / "program.py"
    path.write_text(BINARY.replace(old, new))
    file = Project(tmp_path).open(path, path.name)

    assert len(list(refused_doubles(file.evaluator(), file))) == is_found
