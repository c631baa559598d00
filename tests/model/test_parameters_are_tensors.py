"""`nn.Parameter` makes a tensor, and no module."""

from __future__ import annotations

from pathlib import Path

from torchlint import Tensor
from torchlint.model import Project


def test_a_parameter_is_a_leaf_that_moves_with_its_module(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import torch\nfrom torch import nn\nnn.Parameter(torch.ones(2, device='cuda:1')).sum()\n"
        "nn.parameter.Parameter(torch.ones(2), requires_grad=False).sum()\n"
    )

    owners = [call.owner for call in Project(tmp_path).open(path, path.name).method_calls("sum")]

    found = [one.value for owner in owners if owner is not None for one in owner.possibilities()]
    values = [(value.device, value.graph) for value in found if isinstance(value, Tensor)]
    assert values == [(None, True), (None, False)]
