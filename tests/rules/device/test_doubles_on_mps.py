"""Doubles that are sent to MPS."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.device.detectors.doubles_on_mps import doubles_on_mps
from torchlint.model import Project

PROGRAM = """import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset
device = torch.device("mps" if torch.backends.mps.is_available() else "cpu")
rng = np.random.default_rng(0)
class Rows(Dataset):
    def __init__(self):
        self.rows = np.zeros((8, 2))
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return SAMPLE
CODE
"""


def sent(folder: Path, code: str, sample: str = "0") -> list[str]:
    path = folder / "program.py"
    path.write_text(PROGRAM.replace("CODE", code).replace("SAMPLE", sample))
    file = Project(folder).open(path, path.name)
    return [one.tensor.text for one in doubles_on_mps(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("code", "tensor"),
    [
        ("torch.from_numpy(np.zeros(3)).to(device)", "torch.from_numpy(np.zeros(3))"),
        ("x = torch.tensor(rng.normal(size=3))\nx.to(device)", "x"),
        ("x = torch.from_numpy(rng.random(3)).unsqueeze(0)\nx.to(device).float()", "x"),
        ("x = np.ones(3)\ny = 2 * x[1:] / 3\ntorch.from_numpy(y).to('mps')", "torch.from_numpy(y)"),
        ("torch.zeros(3, dtype=torch.float64).to(device)", "torch.zeros(3, dtype=torch.float64)"),
        ("x = torch.zeros(3).double()\nx.to(device=device)", "x"),
        ("x = np.array([1, 2]).astype(float)\ntorch.as_tensor(x).to(device)", "torch.as_tensor(x)"),
        ("torch.tensor(np.random.randn(3), device=device)", "np.random.randn(3)"),
        ("for x, y in DataLoader(TensorDataset(torch.from_numpy(np.ones(8)), y)):\n    x.to(device)", "x"),
    ],
)
def test_doubles_are_sent(tmp_path: Path, code: str, tensor: str) -> None:
    assert sent(tmp_path, code) == [tensor]


@pytest.mark.parametrize(
    ("sample", "loop", "name"),
    [
        ("torch.from_numpy(self.rows[i]), 0", "for x, y in loader:", "x"),
        ("self.rows[i], 0", "for i, (x, y) in enumerate(loader):", "x"),
        ("0, float(i)", "for x, y in loader:", "y"),
        ("0, 0.5", "for x, y in loader:", "y"),
        ("self.rows[i]", "for x in loader:", "x"),
    ],
)
def test_samples_are_doubles(tmp_path: Path, sample: str, loop: str, name: str) -> None:
    code = f"loader = DataLoader(Rows(), batch_size=4)\n{loop}\n    x = x.to(device)\n    {name}.to(device)"
    if name == "x":
        code = code.replace("    x = x.to(device)\n", "")

    assert sent(tmp_path, code, sample) == [name]


@pytest.mark.parametrize(
    "code",
    [
        "torch.from_numpy(np.zeros(3)).float().to(device)",
        "torch.from_numpy(np.zeros(3)).to(device, torch.float32)",
        "torch.from_numpy(np.zeros(3)).to(device, dtype=torch.float32)",
        "torch.from_numpy(np.zeros(3, dtype=np.float32)).to(device)",
        "torch.from_numpy(np.zeros(3).astype('float32')).to(device)",
        "torch.from_numpy(np.load('x.npy')).to(device)",
        "torch.from_numpy(np.arange(3)).to(device)",
        "torch.from_numpy(np.zeros(3, np.float32) * rng.normal()).to(device)",
        "torch.from_numpy(np.zeros(3)).to('cpu')",
        "torch.from_numpy(np.zeros(3)).to('cuda')",
        "torch.tensor([0.5, 1.0]).to(device)",
        "torch.zeros(3).to(device)",
        "torch.tensor(np.zeros(3), dtype=torch.float32, device=device)",
        "x = torch.from_numpy(np.zeros(3))\nif device.type == 'mps':\n    x = x.float()\nx.to(device)",
        "x = torch.from_numpy(np.zeros(3))\nif device.type != 'mps':\n    x = x.to(device)",
        "x = torch.from_numpy(np.zeros(3))\ntry:\n    x.to(device)\nexcept TypeError:\n    x = None",
        "for x in DataLoader(Rows(), collate_fn=put):\n    x.to(device)",
        "for x in DataLoader(Rows()):\n    x.to(device)",
    ],
)
def test_what_has_32_bits_or_goes_elsewhere_is_left_alone(tmp_path: Path, code: str) -> None:
    assert sent(tmp_path, code) == []
