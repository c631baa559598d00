"""The attributes that the model says wrappers have, against those of PyTorch's own."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="the attributes are those of PyTorch's classes")

from torchlint.pytorch.symbols import DATA_PARALLEL, DISTRIBUTED  # noqa: E402
from torchlint.pytorch.wrapper_attributes import OF_WRAPPER  # noqa: E402


def test_every_attribute_of_data_parallel_is_known() -> None:
    wrapper = torch.nn.DataParallel(torch.nn.Linear(2, 2))

    assert _public(wrapper) <= OF_WRAPPER[DATA_PARALLEL]


def test_every_attribute_of_distributed_data_parallel_is_known(process_group: None) -> None:
    wrapper = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2))

    assert _public(wrapper) <= OF_WRAPPER[DISTRIBUTED]


def _public(wrapper: object) -> set[str]:
    return {name for name in dir(wrapper) if not name.startswith("_")}
