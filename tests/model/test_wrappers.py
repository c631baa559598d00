"""What is inside a wrapper."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.model.checkout import check_out
from torchlint.model import Project


@pytest.mark.parametrize("made", ["nn.DataParallel(Net())", "torch.compile(nn.DataParallel(Net()))"])
def test_calling_a_wrapper_runs_the_forward_of_the_module_inside(tmp_path: Path, made: str) -> None:
    path = tmp_path / "main.py"
    text = f"import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(self, x): pass\n{made}(1)\n"
    path.write_text(text)

    calls = [call for call in Project(tmp_path).open(path, "main.py").all_calls() if call.text == f"{made}(1)"]

    assert [function.scope.name for call in calls for function in call.callees] == ["forward"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", "Tensor"),
        ("def forward(self, x): return 5", "Literal"),
        ("def forward(self, x): return super().forward(x)", "Tensor"),
    ],
    ids=["nothing of its own", "a forward of its own", "a forward that leads back"],
)
def test_calling_a_subclass_of_a_wrapper_returns_what_its_forward_does(
    tmp_path: Path, body: str, expected: str
) -> None:
    checkout = check_out(
        tmp_path,
        {
            "main.py": "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
            "    def forward(self, x): return torch.zeros(2)\n"
            f"class Parallel(nn.DataParallel):\n    {body}\nnet = Parallel(Net())\ny = net(1)\n"
        },
    )

    values = checkout.values("net(1)")

    assert [type(value).__name__ for value in values] == [expected]
