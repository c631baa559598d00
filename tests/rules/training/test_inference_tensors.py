"""Inference tensors that autograd refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.inference_uses import inference_uses
from torchlint.model import Project

HEAD = """
import torch
import torch.nn.functional as F
from torch import nn
backbone, head, x = nn.Linear(4, 4), nn.Linear(4, 2), torch.ones(3, 4)
"""
BLOCK = "with torch.inference_mode():\n    y = backbone(x)\n"


def found_in(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    file = Project(tmp_path).open(path, "main.py")
    return [(one.how, one.tensor.code) for one in inference_uses(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("text", "how"),
    {
        BLOCK + "z = head(y)": "saved",
        BLOCK + "z = head(y[:2].detach())": "saved",
        BLOCK + "z = nn.Sequential(nn.Linear(4, 2), nn.ReLU())(y)": "saved",
        BLOCK + "z = head(x).mean() @ y if False else F.mse_loss(backbone(x), y)": "saved",
        BLOCK + "z = backbone(x) * y": "saved",
        BLOCK + "y.mul_(2)": "changed",
        BLOCK + "y[0] = 1": "changed",
        BLOCK + "y.requires_grad_()": "given gradients",
        BLOCK + "p = nn.Parameter(y)": "given gradients",
        "with torch.inference_mode():\n    y = x + 1\nz = head(y)": "saved",
        "with torch.inference_mode():\n    y = torch.zeros(3, 4)\nz = head(y)": "saved",
        "@torch.inference_mode()\ndef embed(x):\n    return backbone(x)\nz = head(embed(x))": "saved",
        "def embed(x):\n    with torch.inference_mode():\n        return backbone(x).relu()\nz = head(embed(x))": "saved",
        "def embed(x):\n    return backbone(x)\nwith torch.inference_mode():\n    y = embed(x)\nz = head(y)": "saved",
    }.items(),
)
def test_what_autograd_refuses_is_found(tmp_path: Path, text: str, how: str) -> None:
    assert [one for one, _ in found_in(tmp_path, text)] == [how]


@pytest.mark.parametrize(
    "text",
    [
        BLOCK + "z = head(y.clone())",
        BLOCK + "z = head(y * 2)",
        BLOCK + "z = head(torch.cat([y, y]))",
        BLOCK + "z = head(y[torch.tensor([0])])",
        BLOCK + "z = nn.Sequential(nn.ReLU(), head)(y)",
        BLOCK + "z = F.l1_loss(backbone(x), y)",
        BLOCK + "z = F.mse_loss(y, torch.ones(3, 4))",
        BLOCK + "with torch.no_grad():\n    z = head(y)",
        BLOCK + "with torch.inference_mode():\n    y += 1\n    z = head(y)",
        BLOCK + "try:\n    z = head(y)\nexcept RuntimeError:\n    pass",
        BLOCK + "y = backbone(x)\nz = head(y)",
        BLOCK + "y.requires_grad_(False)",
        BLOCK.replace("mode()", "mode(mode=False)") + "z = head(y)",
        "with torch.inference_mode():\n    y = x.view(-1, 4).float()\nz = head(y)",
        "with torch.inference_mode():\n    y = x.detach()[0]\ny.requires_grad_()",
        "def embed(x):\n    return backbone(x)\nz = head(embed(x))",
        "def embed(x):\n    return x\nwith torch.inference_mode():\n    y = embed(x)\nz = head(y)",
        BLOCK + "head.requires_grad_(False)\nz = head(y)",
        "def embed(x, fast):\n    with torch.inference_mode():\n        y = backbone(x)\n    return y if fast else x\n"
        "z = head(embed(x, flag))",
    ],
)
def test_what_is_a_normal_tensor_or_not_saved_is_not(tmp_path: Path, text: str) -> None:
    assert not found_in(tmp_path, text)
