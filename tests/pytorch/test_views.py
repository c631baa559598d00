"""The table of views says what torch does."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.views import (
    BY_PARTS,
    ITSELF_AT_TIMES,
    OF_CONTIGUOUS,
    ONE_ELEMENT,
    ONE_VIEW,
    SAME_MEMORY,
    SAME_NUMBERS,
    SAME_SIZE,
    SHARED_ON_HOST,
    VIEW_ATTRIBUTES,
    VIEWS_AT_TIMES,
)

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")

# The arguments of the methods that have any.
_GIVEN: dict[str, tuple[object, ...]] = {
    "as_strided": ((2, 2), (1, 2)),
    "broadcast_to": ((4, 4, 4),),
    "chunk": (2,),
    "dsplit": (2,),
    "expand": (4, 4, 4),
    "expand_as": (torch.ones(4, 4, 4),),
    "hsplit": (2,),
    "movedim": (0, 1),
    "moveaxis": (0, 1),
    "narrow": (0, 0, 2),
    "permute": (2, 1, 0),
    "reshape": (16, 4),
    "reshape_as": (torch.ones(16, 4),),
    "select": (0, 1),
    "split": (2,),
    "swapaxes": (0, 1),
    "swapdims": (0, 1),
    "tensor_split": (2,),
    "transpose": (0, 1),
    "type": (torch.float32,),
    "type_as": (torch.ones(1),),
    "unflatten": (0, (2, 2)),
    "unfold": (0, 2, 1),
    "unsqueeze": (0,),
    "view": (16, 4),
    "view_as": (torch.ones(16, 4),),
    "vsplit": (2,),
}
_TYPES = {
    "bfloat16": torch.bfloat16,
    "double": torch.float64,
    "half": torch.float16,
    "imag": torch.complex64,
    "int": torch.int32,
    "long": torch.int64,
}


@pytest.mark.parametrize("name", sorted(SAME_MEMORY | VIEWS_AT_TIMES))
def test_the_result_shares_the_memory_of_the_tensor(name: str) -> None:
    shape = (4, 4) if name in {"t", "T", "H"} else (4, 4, 4)
    tensor = torch.ones(shape, dtype=_TYPES.get(name, torch.float32))

    asked = getattr(tensor, name)
    found = asked if name in VIEW_ATTRIBUTES else asked(*_GIVEN.get(name, ()))

    parts = found if isinstance(found, (tuple, list)) else [found]
    assert {part.untyped_storage().data_ptr() for part in parts} == {tensor.untyped_storage().data_ptr()}


@pytest.mark.parametrize("name", sorted(VIEWS_AT_TIMES - {"type", "type_as"}))
def test_what_is_a_view_at_times_is_none_where_it_cannot_be(name: str) -> None:
    tensor = torch.ones(4, 8, dtype=torch.uint8).t()[:, ::2][::2]

    found = getattr(tensor, name)(*{"reshape": (8,), "reshape_as": (torch.ones(8),)}.get(name, ()))

    assert found.untyped_storage().data_ptr() != tensor.untyped_storage().data_ptr()


@pytest.mark.parametrize("name", sorted(SAME_NUMBERS))
def test_the_numbers_are_those_of_the_tensor(name: str) -> None:
    x = torch.arange(64.0).reshape(4, 4, 4)
    others = {"index_select": (0, torch.tensor([1])), "masked_select": (x > 3,), "to": (torch.float64,), "cuda": ()}
    if name == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    given = _GIVEN.get(name, others.get(name, ()))
    if name == "t":
        x = x[0]

    assert set(getattr(x, name)(*given).flatten().tolist()) <= set(x.flatten().tolist())


@pytest.mark.parametrize("name", sorted(SAME_SIZE))
def test_the_size_is_that_of_the_tensor(name: str) -> None:
    if name == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    given = (0.0, 1.0) if name == "clamp" else ()

    assert getattr(torch.tensor(0.5), name)(*given).dim() == 0
    assert getattr(torch.ones(2, 3), name)(*given).shape == (2, 3)


@pytest.mark.parametrize("name", sorted(OF_CONTIGUOUS | ONE_VIEW))
def test_one_tensor_has_the_memory_of_a_contiguous_one(name: str) -> None:
    tensor = torch.ones((4, 4) if name == "t" else (4, 4, 4))
    found = getattr(tensor, name)(*_GIVEN.get(name, ()))

    assert found.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()


@pytest.mark.parametrize("name", sorted(ITSELF_AT_TIMES))
def test_the_tensor_is_returned_where_it_is_like_that(name: str) -> None:
    tensor = torch.ones(2, 2, dtype=torch.bool)
    asked = getattr(tensor, name, None)
    found = asked() if asked is not None else getattr(torch, name)(tensor)

    assert found.data_ptr() == tensor.data_ptr()


@pytest.mark.parametrize("name", sorted(BY_PARTS))
def test_the_parts_of_a_result_are_several(name: str) -> None:
    given = {"tensor_split": (2,)} | _GIVEN
    x = torch.ones(4, 4, 4)
    found = torch.stack((x, x)) if name == "stack" else getattr(x, name)(*given[name])

    assert len(list(found)) > 1


@pytest.mark.parametrize("name", sorted(ONE_ELEMENT))
def test_one_element_stays_one(name: str) -> None:
    given = {"reshape": (1, 1), "unsqueeze": (0,), "view": (1, 1)}.get(name, ())

    assert getattr(torch.ones(1), name)(*given).numel() == 1


@pytest.mark.parametrize("name", sorted(SHARED_ON_HOST))
def test_what_shares_memory_on_the_host_shows_a_change(name: str) -> None:
    tensor = torch.zeros((4, 4) if name == "t" else (4, 4, 4))

    result = getattr(tensor, name)(*_GIVEN.get(name, ()))
    tensor.fill_(1.0)

    assert float(result.flatten()[0]) == 1.0
