"""What is inside a wrapper."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project


@pytest.mark.parametrize("made", ["nn.DataParallel(Net())", "torch.compile(nn.DataParallel(Net()))"])
def test_calling_a_wrapper_runs_the_forward_of_the_module_inside(tmp_path: Path, made: str) -> None:
    path = tmp_path / "main.py"
    text = f"import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(self, x): pass\n{made}(1)\n"
    path.write_text(text)

    calls = [call for call in Project(tmp_path).open(path, "main.py").all_calls() if call.text == f"{made}(1)"]

    assert [function.scope.name for call in calls for function in call.callees] == ["forward"]
