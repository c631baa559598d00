"""Tensors that go from one stream to another."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from torchlint.model import Project

PROGRAM = """
import torch

def run(x):
    side = torch.cuda.Stream()
    y = x * 2
    {body}

run(torch.ones(3, device="cuda"))
"""


def reads(folder: Path, body: str) -> list[str]:
    (folder / "main.py").write_text(PROGRAM.format(body=textwrap.indent(textwrap.dedent(body), "    ").strip()))
    found = Project(folder).open(folder / "main.py", "main.py").unordered_crossings()
    return [one.read.text for one in found]


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("with torch.cuda.stream(side):\n    z = y.sum()", "y"),
        ("with torch.no_grad(), torch.cuda.stream(side):\n    z = torch.exp(y)\n    z = torch.log(y)", "y"),
        ("side.wait_stream(torch.cuda.current_stream())\nwith torch.cuda.stream(side):\n    z = y + 1\na = z + 1", "z"),
    ],
)
def test_a_tensor_of_another_stream_may_not_be_computed_yet(body: str, read: str, tmp_path: Path) -> None:
    assert reads(tmp_path, body) == [read]


@pytest.mark.parametrize(
    "body",
    [
        "side.wait_stream(torch.cuda.current_stream())\nwith torch.cuda.stream(side):\n    z = y.sum()",
        "torch.cuda.synchronize()\nwith torch.cuda.stream(side):\n    z = y.sum()",
        "with torch.cuda.stream(side):\n    side.wait_stream(torch.cuda.default_stream())\n    z = y.sum()",
        "y.sum().item()\nwith torch.cuda.stream(side):\n    z = y.sum()",
        "with torch.cuda.stream(torch.cuda.default_stream()):\n    z = y.sum()",
        "with torch.cuda.stream(side):\n    z = x.sum()",
        "with torch.cuda.stream(side):\n    y = torch.ones(3, device='cuda')\n    z = y.sum()",
        "y = torch.ones(3)\nwith torch.cuda.stream(side):\n    z = y.cuda(non_blocking=True)",
    ],
)
def test_streams_in_order_and_tensors_of_one_stream_are_left_alone(body: str, tmp_path: Path) -> None:
    assert reads(tmp_path, body) == []
