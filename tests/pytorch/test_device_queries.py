"""What a machine without CUDA answers, asked of PyTorch on one."""

from __future__ import annotations

from functools import reduce

import pytest

from torchlint.pytorch.device_queries import DEVICE_QUERIES, PLACING_NOTHING, DeviceQuery

torch = pytest.importorskip("torch", reason="it is PyTorch that is asked")


@pytest.mark.parametrize("query", DEVICE_QUERIES.values(), ids=DEVICE_QUERIES)
def test_the_answer_without_cuda_is_that_of_pytorch(query: DeviceQuery) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    asked = reduce(getattr, query.name.split(".")[1:], torch)

    assert asked() == query.without_cuda


@pytest.mark.parametrize("name", sorted(PLACING_NOTHING))
def test_what_places_nothing_returns_nothing_and_leaves_the_default_device(name: str) -> None:
    called = reduce(getattr, name.split(".")[1:], torch)
    before = torch.ones(1).device

    returned = called(0) if "manual" in name else called()

    assert returned is None or isinstance(returned, bool)
    assert torch.ones(1).device == before
