"""Devices that are the default of a parameter: they are asked for where a caller leaves it to that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

FIT = "import torch\ndef fit(model, device={default}):\n    return model.to(device)\n"
CHOSEN = "'cuda' if torch.cuda.is_available() else 'cpu'"


@pytest.mark.parametrize("default", ["'cuda'", "torch.device('cuda')", "torch.device('cuda', 0)"])
@pytest.mark.parametrize(
    ("calls", "is_reported"),
    [
        (f"fit(model, {CHOSEN})", False),
        (f"fit(model, device={CHOSEN})", False),
        (f"fit(model, device={CHOSEN})\nfit(model)", True),
        ("fit(model)", True),
    ],
)
def test_a_default_is_asked_for_where_a_caller_leaves_it(
    project_of: ProjectOf, default: str, calls: str, is_reported: bool
) -> None:
    project = project_of({
        "fit.py": FIT.format(default=default),
        "main.py": f"import torch\nfrom fit import fit\nmodel = torch.nn.Linear(2, 2)\n{calls}\n",
    })  # fmt: skip

    assert bool(project.reported("hardcoded-cuda", "fit.py")) is is_reported
    assert project.reported("hardcoded-cuda") == []


def test_a_device_that_nobody_replaces_is_asked_for_where_it_stands(project_of: ProjectOf) -> None:
    project = project_of({"fit.py": FIT.format(default="torch.device('cuda')")})

    assert project.reported("hardcoded-cuda", "fit.py") == ["def fit(model, device=torch.device('cuda')):"]
