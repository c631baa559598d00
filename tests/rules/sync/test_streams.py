"""Tensors that go from one stream to another."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from rules.sync.detectors.streams import unordered_crossings
from tests.checkout import asked
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
    found = asked(unordered_crossings, Project(folder).open(folder / "main.py", "main.py"))
    return [one.read.text for one in found]


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("with torch.cuda.stream(side):\n    z = y.sum()", "y"),
        ("with torch.no_grad(), torch.cuda.stream(side):\n    z = torch.exp(y)\n    z = torch.log(y)", "y"),
        ("side.wait_stream(torch.cuda.current_stream())\nwith torch.cuda.stream(side):\n    z = y + 1\na = z + 1", "z"),
        ("part = y[1:].view(-1)\nwith torch.cuda.stream(side):\n    z = part.sum()", "part"),
        ("with torch.cuda.stream(side):\n    z = y[y > 0]", "y"),
        ("with torch.cuda.stream(side):\n    z = y.float()", "y"),
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
        "with torch.cuda.stream(side):\n    address = y.data_ptr() + len(y.shape)",
        "with torch.cuda.stream(side):\n    part = y[1:]",
        "with torch.cuda.stream(side):\n    part = y.detach() is y",
        "with torch.cuda.stream(side):\n    z = x.sum()",
        "with torch.cuda.stream(side):\n    y = torch.ones(3, device='cuda')\n    z = y.sum()",
        "y = torch.ones(3)\nwith torch.cuda.stream(side):\n    z = y.cuda(non_blocking=True)",
    ],
)
def test_streams_in_order_and_tensors_of_one_stream_are_left_alone(body: str, tmp_path: Path) -> None:
    assert reads(tmp_path, body) == []


@pytest.mark.parametrize(
    ("helper", "read"),
    [("y.record_stream(side)", []), ("side.wait_stream(torch.cuda.current_stream())", []), ("print(side)", ["y"])],
)
def test_a_function_may_order_streams(helper: str, read: list[str], tmp_path: Path) -> None:
    body = f"def order(y, side):\n    {helper}\norder(y, side)\nwith torch.cuda.stream(side):\n    z = y.sum()"

    assert reads(tmp_path, body) == read


HANDING_OUT = """
import torch

def run(n, side):
    {made}
    return {returned}

run(3, torch.cuda.Stream())
"""


def returned_reads(folder: Path, returned: str) -> list[str]:
    made = "with torch.cuda.stream(side):\n        y = torch.ones(n, device='cuda') * 2"
    (folder / "main.py").write_text(HANDING_OUT.format(made=made, returned=returned))
    found = asked(unordered_crossings, Project(folder).open(folder / "main.py", "main.py"))
    return [one.read.text for one in found]


@pytest.mark.parametrize(
    "returned",
    ["y + 1", "-y", "y > 0", "y.sum().item()", "y[0] * 2", "y.view(-1).sum()", "{'loss': y.mean()}", "torch.exp(y), n",
     "torch.cat([y, y])"],
)  # fmt: skip
def test_a_return_that_computes_reads(returned: str, tmp_path: Path) -> None:
    assert returned_reads(tmp_path, returned) == ["y"]


@pytest.mark.parametrize(
    "returned",
    ["y", "(y, n)", "{'loss': y}", "y[0]", "y.view(-1)", "y.shape[0] + 1", "y.size(0) + 1", "y is None", "y.detach(), n",
     "y if n else None", "Output(logits=y)", "dict(y=y)", "torch.nn.Parameter(y)", "torch.is_tensor(y)", "y.to('cuda')",
     "torch.zeros_like(y)", "y.dtype"],
)  # fmt: skip
def test_a_return_that_hands_a_tensor_out_reads_nothing(returned: str, tmp_path: Path) -> None:
    assert returned_reads(tmp_path, returned) == []
