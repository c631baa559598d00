"""What a replica has not."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.replicas import EMPTY, HOOKS, RUNNING_HOOKS

torch: Any = pytest.importorskip("torch")


@pytest.mark.parametrize("name", EMPTY)
def test_a_replica_has_no_parameters(name: str) -> None:
    module = torch.nn.Linear(2, 2)

    replica = module._replicate_for_data_parallel()

    assert list(getattr(module, name)())
    assert list(getattr(replica, name)()) == []


def test_a_replica_has_its_buffers() -> None:
    replica = torch.nn.BatchNorm1d(2)._replicate_for_data_parallel()

    assert list(replica.buffers())


def test_the_wrapper_calls_these_where_it_has_devices() -> None:
    from torchlint.verify.sim import simulated_cuda

    called: list[str] = []

    class Noting(torch.nn.DataParallel):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> object:
            called.append(name)
            return super().__getattribute__(name)

    with simulated_cuda(gpus=2):
        wrapper = Noting(torch.nn.Linear(2, 2).cuda(), [0, 1])
        wrapper(torch.ones(2, 2))

    assert set(called) >= HOOKS > set(RUNNING_HOOKS)
