"""What is done with a new tensor, asked of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.dtypes import CASTS
from torchlint.pytorch.new_tensors import FILLING, FUNCTIONS, PLACING, POINTWISE, SHAPING, SHARING, TRIANGULAR, TURNED

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")

_GIVEN: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys("moveaxis movedim permute swapaxes swapdims transpose".split(), (0, 1)),
    **dict.fromkeys("broadcast_to expand".split(), (3, 4, 4)),
    **dict.fromkeys("repeat tile".split(), (2, 2)),
    **dict.fromkeys("reshape view".split(), (2, 8)),
    "broadcast_to": ((3, 4, 4),),
    "expand_as": (torch.ones(3, 4, 4),),
    "fill_": (2.0,),
    "narrow": (1, 0, 2),
    "unflatten": (0, (2, 2)),
    "unsqueeze": (0,),
}
_MATRIX = torch.arange(16.0).reshape(4, 4) + 1


def _of(name: str) -> Any:
    return getattr(_MATRIX.clone(), name)(*_GIVEN.get(name, ()))


def _memory(found: Any) -> set[int]:
    """Return the addresses of the elements."""
    steps = zip(found.shape, found.stride(), strict=True)
    places = torch.zeros(1, dtype=torch.long)
    for size, stride in steps:
        places = (places[:, None] + torch.arange(size)[None] * stride).flatten()
    return set(places.tolist())


@pytest.mark.parametrize("name", sorted(SHAPING))
def test_another_shape_has_all_elements_each_in_memory_of_its_own(name: str) -> None:
    found = _of(name)

    assert set(found.flatten().tolist()) == set(_MATRIX.flatten().tolist())
    assert len(_memory(found)) == found.numel()


@pytest.mark.parametrize("name", sorted(SHARING))
def test_elements_share_memory_or_some_are_left_out(name: str) -> None:
    found = _of(name)

    assert len(_memory(found)) < found.numel() or found.numel() < _MATRIX.numel()


@pytest.mark.parametrize("name", sorted(TURNED))
def test_a_matrix_is_turned(name: str) -> None:
    found = getattr(_MATRIX, name)

    assert found.data_ptr() == _MATRIX.data_ptr()
    assert torch.equal(found, _MATRIX.transpose(0, 1))


@pytest.mark.parametrize("name", sorted(FILLING))
def test_all_elements_are_set(name: str) -> None:
    assert len(set(_of(name).flatten().tolist())) == 1


@pytest.mark.parametrize("name", sorted(POINTWISE))
def test_there_are_as_many_numbers_in_memory_of_their_own(name: str) -> None:
    tensor = _MATRIX.clone()
    found = getattr(tensor, name)()

    assert found.shape == tensor.shape
    assert found.data_ptr() != tensor.data_ptr()


@pytest.mark.parametrize("name", sorted(TRIANGULAR))
def test_a_part_of_a_matrix_is_left(name: str) -> None:
    assert set(_of(name).flatten().tolist()) < {0.0, *_MATRIX.flatten().tolist()}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_function_does_what_the_method_does(name: str) -> None:
    last = name.rpartition(".")[2]
    given = _GIVEN.get(last, ())
    given = (given,) if last in {"permute", "reshape", "tile"} else given

    assert torch.equal(named(name)(_MATRIX, *given), _of(last))


def test_methods_that_are_no_functions_are_left_out() -> None:
    others = (SHAPING | POINTWISE | SHARING | TRIANGULAR) - {name.rpartition(".")[2] for name in FUNCTIONS}

    assert {name for name in others if hasattr(torch, name)} <= {"triu_", "tril_"} | CASTS.keys()


@pytest.mark.parametrize("name", sorted(PLACING))
def test_a_factory_takes_it(name: str) -> None:
    given = {"device": "cpu", "out": torch.empty(2), "pin_memory": False, "requires_grad": True}[name]

    assert torch.zeros(2, **{name: given}).shape == (2,)
