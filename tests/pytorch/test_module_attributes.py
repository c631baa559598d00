"""What every module is said to have, against modules of PyTorch."""

from __future__ import annotations

import pytest

from torchlint.pytorch.module_attributes import EVERY_MODULE

torch = pytest.importorskip("torch", reason="the attributes are those of PyTorch's classes")


@pytest.mark.parametrize("name", sorted(EVERY_MODULE))
def test_every_module_has_it(name: str) -> None:
    linear = torch.nn.Linear(2, 2)
    modules = (torch.nn.Module(), linear, torch.compile(linear), torch.nn.DataParallel(linear))

    assert all(hasattr(module, name) for module in modules)
