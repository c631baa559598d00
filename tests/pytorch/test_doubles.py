"""What makes numbers of 64 bits."""

from __future__ import annotations

import pytest

from torchlint.pytorch.doubles import DOUBLE_ARRAYS, DOUBLE_TYPES, KEEPS_TYPE, SAMPLING, TENSOR_OF_ARRAY

torch = pytest.importorskip("torch")
numpy = pytest.importorskip("numpy")
_GIVEN = {"linspace": (0, 1), "clip": (0, 1), "reshape": (4,), "repeat": (2,)}
_OF_TENSORS = frozenset({"clone", "contiguous", "cpu", "pin_memory", "flip", "roll"})


@pytest.mark.parametrize("name", sorted(DOUBLE_ARRAYS))
def test_a_function_makes_doubles(name: str) -> None:
    word, position = name.rpartition(".")[2], DOUBLE_ARRAYS[name]
    function, given = getattr(numpy, word), _GIVEN.get(word, (3,))
    others = {"eye": (3, 0), "linspace": (5, True, False)}.get(word, ())

    assert str(function(*given).dtype) == "float64"
    assert position in (None, len(given + others))
    assert position is None or str(function(*given, *others, "float32").dtype) == "float32"


@pytest.mark.parametrize("name", sorted(SAMPLING))
def test_doubles_are_drawn_where_a_size_is_given_and_a_float_where_none_is(name: str) -> None:
    spaces = [numpy.random, numpy.random.default_rng(0), numpy.random.RandomState(0)]
    functions = [getattr(space, name) for space in spaces if hasattr(space, name)]
    given = (0.5,) * SAMPLING[name]

    assert {str(draw(*given, 2).dtype) for draw in functions} == {"float64"}
    assert {type(draw(*given)) for draw in functions} == {float}


@pytest.mark.parametrize("name", sorted(KEEPS_TYPE - {"pin_memory"}))
def test_a_method_keeps_the_type(name: str) -> None:
    array = numpy.ones((2, 2))
    given = {"flip": (0,), "roll": (1,), "swapaxes": (0, 1), "cumsum": (0,)}.get(name, _GIVEN.get(name, ()))

    found = getattr(torch.from_numpy(array) if name in _OF_TENSORS else array, name)(*given)

    assert str(found.dtype).rpartition(".")[2] == "float64"


@pytest.mark.parametrize("name", sorted(DOUBLE_TYPES))
def test_a_name_stands_for_the_type(name: str) -> None:
    space, _, word = name.rpartition(".")
    kind = float if space == "builtins" else getattr({"torch": torch, "numpy": numpy}[space], word)

    made = torch.zeros(1, dtype=kind) if space != "numpy" else torch.from_numpy(numpy.zeros(1, dtype=kind))

    assert made.dtype == torch.float64


@pytest.mark.parametrize("name", sorted(TENSOR_OF_ARRAY))
def test_a_tensor_has_the_type_of_its_array(name: str) -> None:
    assert getattr(torch, name.rpartition(".")[2])(numpy.ones(2)).dtype == torch.float64


def test_a_batch_of_floats_is_one_of_doubles() -> None:
    assert torch.utils.data.default_collate([0.5, 1.0]).dtype == torch.float64
