"""What a replica has not."""

from __future__ import annotations

import pytest

from torchlint.pytorch.replicas import EMPTY

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", EMPTY)
def test_a_replica_has_no_parameters(name: str) -> None:
    module = torch.nn.Linear(2, 2)

    replica = module._replicate_for_data_parallel()

    assert list(getattr(module, name)())
    assert list(getattr(replica, name)()) == []


def test_a_replica_has_its_buffers() -> None:
    replica = torch.nn.BatchNorm1d(2)._replicate_for_data_parallel()

    assert list(replica.buffers())
