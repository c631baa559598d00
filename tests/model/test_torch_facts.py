"""What PyTorch calls its own things, held against PyTorch."""

from __future__ import annotations

from importlib import import_module

import pytest

from torchlint.pytorch.aliases import canonical


@pytest.mark.parametrize("module", ["dataloader", "dataset", "distributed", "sampler"])
def test_what_a_module_of_data_defines_goes_by_the_name_that_the_package_gives_it(module: str) -> None:
    package = pytest.importorskip("torch.utils.data", reason="it is torch that says so")
    inner = import_module(f"torch.utils.data.{module}")

    public = (name for name in package.__all__ if not name.startswith("_"))
    defined = [name for name in public if getattr(package, name).__module__ == inner.__name__]

    assert defined
    assert {canonical(f"{inner.__name__}.{name}") for name in defined} == {
        f"torch.utils.data.{name}" for name in defined
    }
