"""What companions of PyTorch are: held against those that are installed."""

from __future__ import annotations

from importlib import import_module

import pytest

from torchlint.pytorch.companions import TAKEOVERS
from torchlint.pytorch.companions.accelerate import ACCELERATORS
from torchlint.pytorch.companions.kinds import Takeover


def member(name: str) -> object:
    """Return what a full name stands for; a package that is not installed skips the test."""
    package, *parts = name.split(".")
    found: object = pytest.importorskip(package)
    path = package
    for part in parts:
        path = f"{path}.{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            found = import_module(path)
    return found


@pytest.mark.parametrize("name", sorted(name for row in TAKEOVERS for name in row.names))
def test_what_takes_a_module_over_is_there(name: str) -> None:
    assert callable(member(name))


@pytest.mark.parametrize("row", TAKEOVERS, ids=lambda row: row.source)
def test_whoever_takes_a_module_over_goes_back(row: Takeover) -> None:
    owners = {"deepspeed.DeepSpeedEngine"} if row.is_module else {name.rpartition(".")[0] for name in row.names}

    assert [owner for owner in sorted(owners) if not callable(vars(member(owner)).get("backward"))] == []


def test_an_accelerator_is_one_class_by_any_name() -> None:
    assert len({member(name) for name in ACCELERATORS}) == 1
