"""Which dtype an expression has: what is found is what PyTorch and NumPy make of the same program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model import Project
from torchlint.model.tensors.dtypes import numbers_of

torch: Any = pytest.importorskip("torch", reason="the programs are run")
np: Any = pytest.importorskip("numpy", reason="with NumPy")

_START = """import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split
rng = np.random.default_rng(0)
doubles = np.zeros((4, 2))
floats = doubles.astype(np.float32)
ints = np.array([0, 1, 2, 3], dtype="int32")
def identity(x):
    return x
def both(x, y):
    return x, y
class Data(Dataset):
    def __init__(self, features, labels):
        self.features, self.labels = features, labels
    def __len__(self):
        return len(self.labels)
    def __getitem__(self, index):
        return torch.from_numpy(self.features[index]), self.labels[index]
def collate(batch):
    features, labels = zip(*batch)
    return torch.stack(features).double(), torch.tensor(np.array(labels, dtype=np.int16))
"""
_KNOWN = [
    "show(doubles)",
    "show(floats[1:] * 2)",
    "show(torch.from_numpy(doubles))",
    "show(torch.tensor(floats))",
    "show(torch.tensor(doubles, dtype=torch.float32))",
    "show(torch.from_numpy(ints).long())",
    "show(torch.from_numpy(ints).to('cpu'))",
    "show(torch.from_numpy(ints).to(torch.int64))",
    "show(torch.from_numpy(ints).to('cpu', torch.int64))",
    "show(torch.from_numpy(doubles).type(torch.FloatTensor))",
    "show(torch.FloatTensor(doubles))",
    "show(torch.zeros(2))",
    "show(torch.full((2,), 1))",
    "show(torch.full((2,), True))",
    "real = 1.0\nshow(torch.full((2,), fill_value=real, device='cpu'))",
    "show(torch.full((2,), 1, dtype=torch.float64))",
    "def labels(kind: int):\n    return torch.full((2,), kind)\nlabels(0)\nshow(labels(1))",
    "show(torch.ones(2, dtype=torch.double))",
    "show(torch.randint(3, (2,)).int())",
    "show(torch.cat([torch.zeros(1), torch.ones(1)]))",
    "show(torch.flatten(torch.from_numpy(doubles), 1))",
    "show(torch.from_numpy(doubles).view(-1).numpy())",
    "show(torch.from_numpy(doubles).view(torch.int64))",
    "show(torch.from_numpy(doubles).view(dtype=torch.int64))",
    "show(torch.from_numpy(floats).view(4, -1))",
    "show(rng.normal(size=3))",
    "show(rng.standard_normal(3, dtype='float32'))",
    "show(rng.integers(0, 3, 4))",
    "show(np.random.randn(3))",
    "show(np.random.uniform(0, 1, (2, 2)))",
    "show(np.array([[1.0, 2]]))",
    "show(np.array([1, 2]))",
    "show(np.concatenate([doubles, doubles]).reshape(-1).T)",
    "show(np.exp(-doubles) + 1)",
    "show(np.zeros(3, int))",
    "show((doubles - doubles.mean(0)) / (doubles.std(0) + 1e-6))",
    "show(torch.autograd.Variable(torch.from_numpy(doubles)).sum(1))",
    "show(np.linspace(0, 1, 3).astype('float32'))",
    "x = doubles\nx = x.astype(np.float32)\nshow(x)",
    "x, y = both(doubles, ints)\nshow(y)",
    "x, y = both(*both(doubles, ints))\nshow(y)",
    "show(identity(torch.from_numpy(ints)))",
    "show(both(doubles, ints)[1])",
    "x = doubles if len(ints) else doubles * 2\nshow(x)",
    "for row in doubles:\n    show(row)",
    "for x, y in DataLoader(TensorDataset(torch.from_numpy(doubles), torch.from_numpy(ints))):\n    show(y)",
    "for i, (x, y) in enumerate(DataLoader(Data(doubles, ints))):\n    show(x)",
    "for i, (x, y) in enumerate(DataLoader(Data(floats, ints))):\n    show(y)",
    "for batch in DataLoader(Data(floats, ints)):\n    show(batch[1])",
    "for batch in DataLoader(Data(floats, ints)):\n    x, y = batch\n    show(x)",
    "for x, y in DataLoader(Data(floats, ints), collate_fn=collate):\n    show(y)",
    "for x, y in DataLoader(Subset(Data(floats, ints), [0, 1])):\n    show(y)",
    "one, other = random_split(Data(doubles, ints), [3, 1])\nfor x, y in DataLoader(one):\n    show(x)",
]


@pytest.mark.parametrize("code", _KNOWN)
def test_the_dtype_is_the_one_that_the_program_has(tmp_path: Path, code: str) -> None:
    shown: list[Any] = []

    exec(_START + code, {"show": shown.append})

    assert found(tmp_path, code) == (str(shown[0].dtype).removeprefix("torch."), isinstance(shown[0], np.ndarray))


@pytest.mark.parametrize(
    "code",
    [
        "show(unknown)",
        "show(np.random.randn())",
        "show(torch.full((2,), unknown))",
        "show(torch.full((2,), 1 if unknown else 1.0))",
        "show(torch.full((2,), torch.tensor(1)))",
        "show(np.random.normal(0, 1))",
        "show(np.array(unknown))",
        "show(np.zeros(3, dtype=unknown))",
        "show(doubles + unknown)",
        "show(doubles + floats)",
        "show(torch.from_numpy(doubles).to(unknown))",
        "show(unknown.to('cpu'))",
        "show(torch.tensor([1.0, 2.0]))",
        "show(nn.Linear(2, 2)(torch.zeros(2)))",
        "x = doubles\nif unknown:\n    x = floats\nshow(x)",
        "x = doubles\nx += unknown\nshow(x)",
        "show([doubles for doubles in unknown])",
        "show(*unknown)",
        "for x in DataLoader(unknown):\n    show(x)",
        "for x, y in DataLoader(Data(doubles, ints), collate_fn=unknown):\n    show(x)",
        "data = Data(doubles, ints)\ndata.labels = unknown\nfor x, y in DataLoader(data):\n    show(y)",
        "for x in identity(doubles), floats:\n    show(x)",
        "def loop(x):\n    return loop(x)\nshow(loop(doubles))",
    ],
)
def test_what_is_open_is_not_known(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, code) is None


def test_the_default_dtype_is_open_where_it_is_set(tmp_path: Path) -> None:
    assert found(tmp_path, "torch.set_default_dtype(torch.float64)\nshow(torch.zeros(2))") is None
    assert found(tmp_path, "torch.set_default_dtype(torch.float64)\nshow(torch.full((2,), 1.0))") is None


def test_nothing_is_asked_after_what_is_open(tmp_path: Path) -> None:
    sources = "".join(f"def f{i}():\n    return torch.zeros({i}).double()\n" for i in range(50))
    calls = "\n".join(f"elif a == {i}:\n    take(f{i}())" for i in range(MOST_CALLERS - 1))
    code = f"{sources}def take(x):\n    show(x)\nif unknown:\n    take(open('a').read())\n{calls}\n"
    path = tmp_path / "program.py"
    path.write_text(_START + code)
    file = Project(tmp_path).open(path, path.name)
    shown = next(file.method_calls("show")).arguments[0]

    assert numbers_of(file.evaluator(), shown) is None
    assert file.project.library.steps.taken < 3 * MOST_CALLERS


def found(folder: Path, code: str) -> tuple[str, bool] | None:
    path = folder / "program.py"
    path.write_text(_START + code)
    file = Project(folder).open(path, path.name)
    call = next(file.method_calls("show"))
    numbers = numbers_of(file.evaluator(), call.arguments[0]) if call.arguments else None
    return (numbers.dtype, numbers.is_array) if numbers is not None else None
