"""Functions that make tensors, asked of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.factories import (
    COMPUTING_FACTORIES,
    COPYING,
    FACTORIES,
    FROM_MEMORY,
    FROM_NDARRAY,
    LIKE,
    NEW,
    OF_DATA,
    OF_LISTS,
    OF_NUMBERS,
    WHERE_DATA,
    legacy_device,
)
from torchlint.pytorch.needs_cuda import NEEDS_CUDA

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")

_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys("empty_permuted empty_strided".split(), ((2, 3), (0, 1))),
    "full": ((2,), 1.0),
    "range": (0, 3),
    **dict.fromkeys("linspace logspace".split(), (0, 1, 3)),
    **dict.fromkeys("tril_indices triu_indices".split(), (3, 3)),
    "general_cosine": (5,),
}
_WORDS: dict[str, dict[str, Any]] = {"general_cosine": {"a": [0.5, 0.5]}}


def _function(name: str) -> Any:
    found = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", sorted(COMPUTING_FACTORIES))
def test_what_computes_its_numbers_makes_them_on_any_device(name: str) -> None:
    last = name.rpartition(".")[2]
    made = _function(name)(*_ARGUMENTS.get(last, (3,)), **_WORDS.get(last, {}), device="meta")

    assert made.device.type == "meta"


@pytest.mark.parametrize("name", sorted(FACTORIES - COMPUTING_FACTORIES - FROM_MEMORY))
def test_a_factory_makes_tensors(name: str) -> None:
    last = name.rpartition(".")[2]
    arguments: dict[str, tuple[Any, ...]] = {
        "randint": (2, (3,)),
        "randperm": (3,),
        "sparse_coo_tensor": ([[0]], [1.0], (1,)),
    }

    assert isinstance(_function(name)(*arguments.get(last, ([1, 0],))), torch.Tensor)


def test_what_makes_a_tensor_of_an_ndarray_takes_no_tensor() -> None:
    with pytest.raises(TypeError, match=r"expected np\.ndarray"):
        getattr(torch, FROM_NDARRAY)(torch.ones(2))


def test_what_is_of_memory_shares_it() -> None:
    memory = bytearray(8)
    made = torch.frombuffer(memory, dtype=torch.uint8)
    made[0] = 3

    assert memory[0] == 3
    assert made.device.type == "cpu"


@pytest.mark.parametrize("name", sorted(FROM_MEMORY))
def test_what_is_of_memory_is_given_no_other_device(name: str) -> None:
    with pytest.raises(TypeError):
        _function(name)(bytearray(8), device=torch.device("meta"), dtype=torch.uint8)


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("torch.FloatTensor", "cpu"),
        ("torch.LongTensor", "cpu"),
        ("torch.cuda.FloatTensor", "cuda"),
        ("torch.ones", None),
    ],
)
def test_a_constructor_of_old_says_its_device(name: str, device: str | None) -> None:
    assert legacy_device(name) == device


@pytest.mark.skipif(torch.cuda.is_available(), reason="a machine without CUDA is asked")
@pytest.mark.parametrize("name", sorted(NEEDS_CUDA))
def test_what_needs_cuda_raises_without_it(name: str) -> None:
    def ask() -> object:
        function = _function(name)
        last = name.rpartition(".")[2]
        if last == "Event":
            return function().record()
        arguments: dict[str, tuple[Any, ...]] = {
            "set_device": (0,),
            "can_device_access_peer": (0, 1),
            "get_stream_from_external": (0,),
            "set_per_process_memory_fraction": (0.5,),
            "set_sync_debug_mode": (0,),
        }
        return function(*arguments.get(last, ()))

    with pytest.raises((RuntimeError, AssertionError, AttributeError)):
        ask()


@pytest.mark.parametrize("name", sorted(OF_NUMBERS))
def test_what_is_made_of_a_number_has_no_dimension(name: str) -> None:
    assert _function(name)(3.0).dim() == 0


@pytest.mark.parametrize("name", sorted(OF_DATA))
def test_data_are_a_list_or_an_array_or_a_tensor(name: str) -> None:
    assert all(_function(name)(data).tolist() == [1, 2] for data in ([1, 2], torch.tensor([1, 2])))


@pytest.mark.filterwarnings("ignore:To copy construct")
def test_one_copies_its_data() -> None:
    data = torch.ones(2)

    assert _function(COPYING)(data).data_ptr() != data.data_ptr()


def test_what_is_made_of_lists_is_on_the_host() -> None:
    numpy = pytest.importorskip("numpy")

    assert {_function(name)(numpy.ones(2, "float32")).device.type for name in OF_LISTS} == {"cpu"}


@pytest.mark.parametrize("name", sorted(LIKE | NEW))
def test_a_tensor_like_another_is_where_that_is_and_has_no_graph(name: str) -> None:
    other = torch.ones(2, device="meta", requires_grad=True)
    further: dict[str, tuple[Any, ...]] = {
        "full_like": (1.0,),
        "new_empty_strided": ((2,), (1,)),
        "new_full": ((2,), 1.0),
        "new_tensor": ([1.0],),
        "randint_like": (3,),
    }
    given = further.get(name, ((2,),) if name in NEW else ())
    found = getattr(torch, name)(other, *given) if name in LIKE else getattr(other, name)(*given)

    assert (found.device.type, found.dtype, found.requires_grad) == ("meta", torch.float32, False)


@pytest.mark.parametrize("name", sorted(WHERE_DATA))
def test_the_data_decides_the_device(name: str) -> None:
    data = torch.ones(1, device="meta")
    given = (torch.zeros(1, 1, dtype=torch.int64, device="meta"), data, (1,)) if WHERE_DATA[name] else (data,)

    assert given[WHERE_DATA[name]] is data
    assert getattr(torch, name)(*given).device.type == "meta"
