"""Autocast by its names, asked of PyTorch."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.autocast import BY_DEVICE, DEVICE_FIRST, OF_CUDA, POSITIONS, SINCE, SPACE

torch: Any = pytest.importorskip("torch", reason="autocast is PyTorch's")


@pytest.mark.parametrize("name", sorted(BY_DEVICE))
def test_the_kind_of_device_comes_first(name: str) -> None:
    assert next(iter(inspect.signature(named(name)).parameters)) == "device_type"


@pytest.mark.parametrize("name", sorted(OF_CUDA))
def test_that_of_cuda_takes_none_and_warns(name: str) -> None:
    assert tuple(inspect.signature(named(name)).parameters) == POSITIONS
    with pytest.warns(FutureWarning, match="deprecated"):
        named(name)(enabled=False)


@pytest.mark.parametrize("word", sorted(SINCE))
def test_the_names_of_all_devices_are_there(word: str) -> None:
    assert callable(named(f"{SPACE}.{word}"))
    assert callable(named(f"torch.cuda.amp.{word}"))


@pytest.mark.parametrize("word", sorted(SINCE))
def test_some_take_the_kind_of_device_first_and_the_others_by_name(word: str) -> None:
    parameters = inspect.signature(named(f"{SPACE}.{word}")).parameters
    first = next(iter(parameters))

    assert (first in {"device", "device_type"}) is (word in DEVICE_FIRST)
    assert word in DEVICE_FIRST or parameters["device_type"].kind is inspect.Parameter.KEYWORD_ONLY
