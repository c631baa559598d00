"""Constants that a training loop copies to the GPU at every step, and those that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.sync.detectors.uploaded_constants import uploaded_constants
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

HEAD = """\
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
host = torch.device("cpu")
for epoch in range(2):
    once = torch.tensor(1.0, device=device)
    for step in range(100):
        optimizer.zero_grad()
        model(torch.ones(4, 2, device=device)).sum().backward()
        optimizer.step()
"""


def found_in(tmp_path: Path, body: str, head: str = HEAD) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(head + "".join(f"        {line}\n" for line in body.split("\n")))
    file = Project(tmp_path).open(path, "main.py")
    found = uploaded_constants(file.evaluator(WITH_CUDA), file)
    return [f"{one.place.code}{'' if one.is_sure else ' perhaps'}" for one in found]


@pytest.mark.parametrize(
    "made",
    [
        "torch.tensor(0.5, device=device)",
        "torch.tensor([1.0, -2.0], device=device)",
        "torch.tensor([[1, 2], (3, 4)], dtype=torch.float32, device=device)",
        "torch.as_tensor(0.5, dtype=torch.float64, device=device)",
        "torch.asarray([1, 2], device=device)",
        "torch.tensor(True, device=model.weight.device)",
        "torch.tensor(-1).to(device)",
        "torch.tensor(1e-3).cuda()",
    ],
)
def test_a_written_constant_is_found(tmp_path: Path, made: str) -> None:
    assert found_in(tmp_path, f"x = {made}") == [made]


def test_a_constant_of_a_function_that_each_step_calls_is_found(tmp_path: Path) -> None:
    start = "import torch\ndef penalty(x):\n    return x + torch.tensor([1.0, 2.0], device=x.device)\n"
    assert found_in(tmp_path, "y = penalty(model.weight)", start + HEAD) == [
        "torch.tensor([1.0, 2.0], device=x.device)"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "x = torch.tensor(0.5)",
        "x = torch.tensor(0.5, device=host)",
        "x = torch.tensor(0.5, device='cpu')",
        "x = torch.tensor(step, device=device)",
        "x = torch.tensor([1.0, step], device=device)",
        "x = torch.tensor([], device=device)",
        "x = torch.tensor(0.5).to(torch.float64)",
        "x = torch.tensor(0.5, requires_grad=True, device=device)",
        "x = torch.tensor([1.0], pin_memory=True).to(device, non_blocking=True)",
        "x = torch.full((), 0.5, device=device)",
        "x = torch.zeros(2, device=device)",
        "if step % 10 == 0:\n    x = torch.tensor(0.5, device=device)",
        "if model.weight is None:\n    x = torch.tensor(0.5, device=device)",
        "try:\n    y = 1\nexcept ValueError:\n    x = torch.tensor(0.5, device=device)",
        "x = torch.ones(()) if step else torch.tensor(0.5, device=device)",
    ],
)
def test_what_changes_is_rare_or_stays_on_the_host_is_not(tmp_path: Path, body: str) -> None:
    assert found_in(tmp_path, body) == []


def test_a_program_that_trains_on_the_host_copies_nothing(tmp_path: Path) -> None:
    head = HEAD.replace('torch.device("cuda" if torch.cuda.is_available() else "cpu")', 'torch.device("cpu")')
    assert found_in(tmp_path, "x = torch.tensor(0.5, device=device)", head) == []


def test_a_default_device_is_not_guessed(tmp_path: Path) -> None:
    head = HEAD.replace("from torch import nn\n", "from torch import nn\ntorch.set_default_device('cuda')\n")
    assert found_in(tmp_path, "x = torch.tensor(0.5, device=device)", head) == []


FORWARD = """\
import torch
from torch import nn
class Loss(nn.Module):
    def forward(self, x):
        mean = torch.tensor([0.5, 0.5], device=x.device)
        if x.ndim == 1:
            return torch.tensor(0.0, device=x.device)
        return (x - mean).sum()
"""


def test_a_constant_of_a_forward_is_found(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(FORWARD)
    file = Project(tmp_path).open(path, "main.py")
    assert [one.place.line for one in uploaded_constants(file.evaluator(WITH_CUDA), file)] == [5]


@pytest.mark.parametrize(
    ("data", "is_filled"), [("0.5", True), ("[[1.0, 1.0]]", True), ("[[1.0, 2.0]]", False), ("[[1, 2], [1, 2]]", False)]
)
def test_only_one_number_fills_a_tensor(tmp_path: Path, data: str, *, is_filled: bool) -> None:
    path = tmp_path / "main.py"
    path.write_text(f"{HEAD}        x = torch.tensor({data}, device=device)\n")
    file = Project(tmp_path).open(path, "main.py")
    assert [one.is_filled for one in uploaded_constants(file.evaluator(WITH_CUDA), file)] == [is_filled]
