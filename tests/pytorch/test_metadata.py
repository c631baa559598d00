"""What the host is said to know of a tensor, against tensors without data."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.metadata import (
    EVERY_TENSOR,
    METADATA_ATTRIBUTES,
    METADATA_METHODS,
    NUMBER_METHODS,
    SIZES,
    WITHOUT_DATA,
)

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")


def _asked(tensor: Any, name: str) -> object:
    found = getattr(tensor, name)
    return found() if name in METADATA_METHODS else found


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("name", sorted(METADATA_ATTRIBUTES | METADATA_METHODS))
def test_a_tensor_without_data_tells(name: str) -> None:
    tensor = torch.ones(2, 3, device="meta")

    assert callable(getattr(tensor, name)) == (name in METADATA_METHODS)
    _asked(tensor, name)


def test_the_data_it_does_not_tell() -> None:
    tensor = torch.ones((), device="meta")

    for read in (tensor.item, tensor.tolist, tensor.cpu, tensor.numpy):
        with pytest.raises((RuntimeError, NotImplementedError, TypeError)):
            read()


@pytest.mark.parametrize("name", sorted(NUMBER_METHODS))
def test_it_is_numbers(name: str) -> None:
    found = _asked(torch.ones(2, 3), name)

    assert isinstance(found, (int, tuple))


@pytest.mark.parametrize("name", sorted(SIZES))
def test_tensors_of_the_same_shape_have_the_same_sizes(name: str) -> None:
    first, second = torch.ones(2, 3), torch.zeros(3, 2, dtype=torch.int64).t()

    assert _asked(first, name) == _asked(second, name)


@pytest.mark.parametrize("name", sorted(WITHOUT_DATA - {"record_stream"}))
def test_a_method_needs_no_data(name: str) -> None:
    tensor = torch.ones((), device="meta", requires_grad=True)
    getattr(tensor, name)(*((print,) if name == "register_hook" else ()))


def test_a_tensor_is_recorded_for_a_stream_without_a_wait() -> None:
    from torchlint.verify.sim import simulated_cuda

    with simulated_cuda() as simulation:
        tensor = torch.ones(1, device="cuda")
        waits = simulation.log.total
        tensor.record_stream(torch.cuda.Stream())

        assert simulation.log.total == waits


def test_what_every_tensor_has() -> None:
    tensors = [torch.ones(3), torch.ones(2, device="meta"), torch.nn.Parameter(torch.ones(2)), torch.eye(2).to_sparse()]

    assert all(name in dir(tensor) for tensor in tensors for name in EVERY_TENSOR)
    # What has it is an ndarray.
    assert not hasattr(torch.ones(3), "copy")
