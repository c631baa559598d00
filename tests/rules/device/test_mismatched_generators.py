"""Generators of another kind of device than what is drawn with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.device.detectors.mismatched_generators import mismatched_generators
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

HEAD = """
import torch
from torch.utils.data import DataLoader, RandomSampler, random_split
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
host, gpu, chosen = torch.Generator(), torch.Generator("cuda"), torch.Generator(device=device)
"""


def found_in(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    file = Project(tmp_path).open(path, "main.py")
    return [one.kind for one in mismatched_generators(file.evaluator(WITH_CUDA), file)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("torch.randn(3, generator=host, device='cuda')", "cpu"),
        ("torch.randn(3, generator=host, device=device)", "cpu"),
        ("torch.randperm(3, generator=torch.Generator().manual_seed(0), device='cuda:0')", "cpu"),
        ("x = torch.zeros(3, device='cuda')\nx.normal_(generator=host)", "cpu"),
        ("torch.randn(3, generator=gpu)", "cuda"),
        ("torch.randperm(3, generator=chosen)", "cuda"),
        ("DataLoader(data, shuffle=True, generator=gpu)", "cuda"),
        ("RandomSampler(data, generator=chosen)", "cuda"),
        ("random_split(data, [1, 2], generator=gpu)", "cuda"),
        ("x = torch.zeros(3)\nx.uniform_(generator=gpu)", "cuda"),
    ],
)
def test_a_generator_of_another_device_is_found(tmp_path: Path, text: str, kind: str) -> None:
    assert found_in(tmp_path, text) == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "torch.randn(3, generator=host)",
        "torch.randn(3, generator=gpu, device='cuda')",
        "torch.randn(3, generator=chosen, device=device)",
        "torch.randn(3, generator=host, device=args.device)",
        "torch.randn(3, generator=host, device='meta')",
        "torch.randn(3, generator=None, device='cuda')",
        "torch.randn(3, generator=torch.Generator(args.device), device='cuda')",
        "torch.randn(3, generator=host if flag else gpu, device='cuda')",
        "torch.normal(mean, std, generator=gpu)",
        "DataLoader(data, shuffle=True, generator=host)",
        "torch.set_default_device('cuda')\nDataLoader(data, shuffle=True, generator=gpu)",
        "x = load()\nx.normal_(generator=gpu)",
        "if not torch.cuda.is_available():\n    torch.randn(3, generator=host, device=device)",
        "try:\n    torch.randn(3, generator=host, device='cuda')\nexcept RuntimeError:\n    pass",
    ],
)
def test_one_of_the_same_or_of_an_unknown_device_is_not(tmp_path: Path, text: str) -> None:
    assert not found_in(tmp_path, text)
