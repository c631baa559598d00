"""The parameters of a module are where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.device.test_misplaced import misplaced

MODEL = "model = nn.Linear(4, 4){moved}\n"
USES = {
    "weight": "model.weight @ torch.eye(4)",
    "bias": "model.bias - torch.ones(4)",
    "computed": "(model.weight @ model.weight.t()) - torch.eye(4)",
    "each": "[(one - torch.ones(4)).norm() for one in model.parameters()]",
    "each with its name": "for name, one in model.named_parameters():\n    one - torch.ones(4)",
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_parameters_of_a_moved_module_do_not_meet_tensors_on_the_host(use: str, tmp_path: Path) -> None:
    found = misplaced(tmp_path, MODEL.format(moved=".to(device)") + use)

    assert [kind for kind, _ in found] in (["other"], ["factory"])


@pytest.mark.parametrize("moved", ["", ".to(device).cpu()"])
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_parameters_of_a_module_on_the_host_may(use: str, moved: str, tmp_path: Path) -> None:
    assert misplaced(tmp_path, MODEL.format(moved=moved) + use) == []
