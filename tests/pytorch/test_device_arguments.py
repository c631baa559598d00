"""Functions that take a device first, asked of PyTorch."""

from __future__ import annotations

import inspect
import warnings

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.device_arguments import DEFAULT_SETTERS, DEVICE_FIRST, HOST_AND_CUDA, KINDS_OF_DEVICES
from torchlint.pytorch.needs_cuda import DEVICE_ELSEWHERE, NEEDS_CUDA
from torchlint.pytorch.streams import INDEX_ONLY
from torchlint.pytorch.symbols import DEVICE

torch = pytest.importorskip("torch", reason="it is torch that takes them")


@pytest.mark.parametrize("name", sorted(DEVICE_FIRST - {DEVICE}))
def test_the_first_argument_is_the_device(name: str) -> None:
    assert next(iter(inspect.signature(named(name)).parameters)) == "device"


@pytest.mark.parametrize("name", sorted(NEEDS_CUDA))
def test_what_needs_cuda_takes_the_device_at_its_position(name: str) -> None:
    parameters = list(inspect.signature(named(name)).parameters)
    position = next((at for at, one in enumerate(parameters) if "device" in one), None)

    assert position == DEVICE_ELSEWHERE.get(name, 0 if parameters else None)


def test_a_device_is_made_of_its_name() -> None:
    assert named(DEVICE)("meta", 0) == torch.device("meta:0")


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")
def test_what_chooses_where_tensors_are_made_does() -> None:
    by_device, by_type = map(named, DEFAULT_SETTERS)
    try:
        by_device("meta")
        assert torch.ones(1).device.type == "meta"
    finally:
        by_device(None)
    try:
        by_type(torch.DoubleTensor)
        assert torch.ones(1).dtype == torch.float64
    finally:
        by_type(torch.FloatTensor)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="it takes a context of CUDA")
@pytest.mark.parametrize("name", sorted(INDEX_ONLY))
def test_the_state_of_generators_is_by_index(name: str) -> None:
    arguments = (torch.cuda.get_rng_state(),) if "set" in name else ()

    with pytest.raises((TypeError, AttributeError, RuntimeError)):
        named(name)(*arguments, torch.cuda.device(0))


@pytest.mark.parametrize("kind", sorted(KINDS_OF_DEVICES))
def test_a_string_names_a_device(kind: str) -> None:
    with warnings.catch_warnings(action="ignore"):
        assert torch.device(kind).type == kind


def test_any_other_string_names_none() -> None:
    with pytest.raises(RuntimeError, match="Expected one of") as raised:
        torch.device("gpu")

    listed = str(raised.value).partition("Expected one of ")[2].partition(" device type")[0]
    assert {name.strip() for name in listed.split(",")} == KINDS_OF_DEVICES


@pytest.mark.parametrize("kind", HOST_AND_CUDA)
def test_the_kinds_of_the_host_and_of_cuda_are_kinds_of_devices(kind: str) -> None:
    assert torch.device(kind).type == kind
    assert kind in KINDS_OF_DEVICES
