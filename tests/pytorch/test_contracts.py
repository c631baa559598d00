"""What tells classes apart by their methods, asked of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.contracts import CONTRACTS, Contract

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")


def _class(name: str) -> Any:
    found = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("row", CONTRACTS, ids=lambda row: f"{row.name}-{len(row.needs)}")
def test_a_class_has_the_methods_by_which_it_is_known(row: Contract) -> None:
    kind = _class(row.name)

    assert all(callable(getattr(kind, name)) for name in row.needs | row.any_of)
    assert not row.is_called or callable(kind())


@pytest.mark.parametrize("row", CONTRACTS, ids=lambda row: f"{row.name}-{len(row.needs)}")
def test_no_other_class_of_training_has_them(row: Contract) -> None:
    others = [torch.optim.lr_scheduler.LRScheduler, torch.utils.data.DataLoader, torch.amp.GradScaler]
    others += [_class(one.name) for one in CONTRACTS if one.name != row.name]

    for other in others if row.word is None else ():
        keeps = row.needs and all(hasattr(other, name) for name in row.needs)
        assert not keeps
        assert not any(hasattr(other, name) for name in row.any_of)
