"""Which dtypes tensors and arrays have, asked of PyTorch and NumPy."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch import dtypes
from torchlint.pytorch.generators import NUMPY_GENERATORS

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")
np: Any = pytest.importorskip("numpy", reason="and NumPy")

_FLOATS = np.zeros((2, 2), dtype="float32")
# What functions need beside a tensor or an array.
_FURTHER: dict[str, tuple[Any, ...]] = {
    "chunk": (1,), "clamp": (0,), "clip": (0, 1), "expand": (2, 2), "flip": ((0,),),
    "index_select": (0, torch.tensor([0])), "movedim": (0, 1), "narrow": (0, 0, 1), "permute": ((1, 0),),
    "repeat": (1, 1), "reshape": ((4,),), "roll": (1,), "select": (0, 0), "split": (1,), "swapaxes": (0, 1),
    "tile": ((1,),), "transpose": (0, 1), "unfold": (0, 1, 1), "unsqueeze": (0,), "view": (4,), "dropout": (0.5, True),
}  # fmt: skip
_OF_ARRAYS: dict[str, tuple[Any, ...]] = {
    "clip": (0, 1), "expand_dims": (0,), "moveaxis": (0, 1), "pad": (1,), "repeat": (2,), "reshape": (4,),
    "roll": (1,), "tile": (2,), "swapaxes": (0, 1),
}  # fmt: skip
_MADE_OF: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("linspace", "logspace", "geomspace"), (1, 2, 3)),
    **dict.fromkeys(("loadtxt", "genfromtxt"), (["1 2", "3 4"],)),
    "argsort": (_FLOATS,),
}


def named(path: str) -> Any:
    """Return what a full name stands for."""
    found: Any = {"torch": torch, "numpy": np}[path.partition(".")[0]]
    for name in path.split(".")[1:]:
        found = getattr(found, name)
    return found


def dtype_of(numbers: Any) -> str:
    first = numbers[0] if isinstance(numbers, tuple) else numbers
    return str(first.dtype).removeprefix("torch.")


@pytest.mark.parametrize(("name", "dtype"), sorted(dtypes.DTYPES.items()))
def test_a_name_stands_for_a_dtype(name: str, dtype: str) -> None:
    made = torch.zeros(1, dtype=named(name)) if name.startswith("torch.") else np.zeros(1, dtype=named(name))

    assert dtype_of(made) == dtype


@pytest.mark.parametrize(("name", "dtype"), sorted(dtypes.PYTHON_TYPES.items()))
def test_a_type_of_python_stands_for_a_dtype(name: str, dtype: str) -> None:
    kinds = {"builtins.float": float, "builtins.int": int, "builtins.bool": bool}

    assert dtype_of(np.zeros(1, dtype=kinds[name])) == dtype


@pytest.mark.parametrize(("name", "dtype"), sorted(dtypes.LEGACY_TENSORS.items()))
def test_an_old_constructor_converts(name: str, dtype: str) -> None:
    assert dtype_of(named(name)([1, 0])) == dtype
    assert dtype_of(torch.zeros(1).type(named(name))) == dtype


@pytest.mark.parametrize(("name", "dtype"), sorted(dtypes.CASTS.items()))
def test_a_method_converts(name: str, dtype: str) -> None:
    assert dtype_of(getattr(torch.zeros(1), name)()) == dtype


@pytest.mark.parametrize(
    "name", sorted(dtypes.KEEPING - {"cuda", "pin_memory", "dropout", "expand_as", "requires_grad_"})
)
@pytest.mark.parametrize("kind", [torch.float64, torch.int64])
def test_a_method_keeps_the_dtype(name: str, kind: Any) -> None:
    tensor = torch.zeros(2, 2, dtype=kind)

    # What is summed up of smaller integers is `int64`.
    assert dtype_of(getattr(tensor, name)(*_FURTHER.get(name, ()))) == dtype_of(tensor)


@pytest.mark.parametrize("name", sorted(dtypes.KEEPING_FUNCTIONS - {"torch.requires_grad_"}))
def test_a_function_keeps_the_dtype(name: str) -> None:
    if not hasattr(named(name.rpartition(".")[0]), name.rpartition(".")[2]):
        pytest.skip("a method alone")
    tensor = torch.zeros(2, 2, dtype=torch.float64)

    assert dtype_of(named(name)(tensor, *_FURTHER.get(name.rpartition(".")[2], ()))) == "float64"


@pytest.mark.parametrize("name", sorted(dtypes.REDUCING))
def test_a_sum_has_the_dtype_of_what_is_summed_up(name: str) -> None:
    assert dtype_of(getattr(_FLOATS, name)(0)) == "float32"
    assert dtype_of(getattr(torch.zeros(2, 2, dtype=torch.float64), name)()) == "float64"


@pytest.mark.parametrize("name", sorted(dtypes.JOINING))
def test_what_is_joined_keeps_the_dtype(name: str) -> None:
    assert dtype_of(named(name)([torch.zeros(1, dtype=torch.float64)] * 2)) == "float64"


@pytest.mark.parametrize("name", sorted(dtypes.OF_DATA))
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_a_tensor_of_an_array_has_its_dtype(name: str, dtype: str) -> None:
    assert dtype_of(named(name)(np.zeros(2, dtype=dtype))) == dtype


def test_factories_have_the_default_dtype_or_int64() -> None:
    arguments = {"torch.linspace": (0, 1, 2), "torch.randint": (3, (2,))}

    assert {dtype_of(named(name)(*arguments.get(name, (2,)))) for name in dtypes.DEFAULT_FLOAT} == {"float32"}
    assert {dtype_of(named(name)(*arguments.get(name, (2,)))) for name in dtypes.ALWAYS_LONG} == {"int64"}


@pytest.mark.parametrize("name", sorted(dtypes.ARRAYS_OF_FLOATS))
def test_an_array_is_of_floats(name: str) -> None:
    assert dtype_of(named(name)(*_MADE_OF.get(name.removeprefix("numpy."), (3,)))) == "float64"


@pytest.mark.parametrize("name", sorted(dtypes.ARRAYS_OF_INTEGERS))
def test_an_array_is_of_integers(name: str) -> None:
    assert dtype_of(named(name)(*_MADE_OF.get(name.removeprefix("numpy."), (3,)))) == "int64"


def test_what_is_drawn_is_what_the_table_says() -> None:
    sources = [np.random, *(named(name)(0) for name in sorted(NUMPY_GENERATORS))]

    for method, (dtype, position) in dtypes.DRAWN.items():
        having = [source for source in sources if hasattr(source, method)]
        assert having
        for source in having:
            given = (1, 2)[:position]
            assert dtype_of(getattr(source, method)(*given, 3)) == dtype
            assert not isinstance(getattr(source, method)(*given), np.ndarray)


@pytest.mark.parametrize("name", sorted(dtypes.ARRAY_KEEPING))
def test_a_method_of_arrays_keeps_the_dtype(name: str) -> None:
    assert dtype_of(getattr(_FLOATS, name)(*_OF_ARRAYS.get(name, ()))) == "float32"


@pytest.mark.parametrize("name", sorted(dtypes.ARRAY_FUNCTIONS | dtypes.ARRAY_MATHS))
def test_a_function_of_arrays_keeps_the_dtype(name: str) -> None:
    arguments = _OF_ARRAYS.get(name.removeprefix("numpy."), ())
    positive = _FLOATS + np.float32(1)

    assert dtype_of(named(name)(positive, *arguments)) == "float32"


@pytest.mark.parametrize("name", sorted(dtypes.DTYPE_SECOND))
def test_a_dtype_is_passed_second(name: str) -> None:
    assert dtype_of(named(name)([2], "int16")) == "int16"


@pytest.mark.parametrize("name", sorted(dtypes.ARRAY_JOINING))
def test_arrays_that_are_joined_keep_the_dtype(name: str) -> None:
    assert dtype_of(named(name)([_FLOATS, _FLOATS])) == "float32"


_INPUTS: dict[str, tuple[tuple[Any, ...], tuple[int, ...]]] = {
    **{f"Conv{n}d": ((2, 2, 1), (1, 2, *(3,) * n)) for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": ((2, 2, 1), (1, 2, *(3,) * n)) for n in (1, 2, 3)},
    "Bilinear": ((2, 2, 2), (1, 2)),
    "MultiheadAttention": ((2, 1), (2, 1, 2)),
    "Transformer": ((2, 1, 1, 1, 2), (2, 1, 2)),
    **{f"Transformer{part}Layer": ((2, 1, 2), (2, 1, 2)) for part in ("Encoder", "Decoder")},
}
_TIMES = {
    "Bilinear": 2,
    "MultiheadAttention": 3,
    "Transformer": 2,
    "TransformerDecoderLayer": 2,
    "TransformerDecoder": 2,
}


@pytest.mark.parametrize("name", sorted(dtypes.FLOAT_LAYERS))
def test_a_layer_refuses_doubles(name: str) -> None:
    last = name.rpartition(".")[2]
    if last in {"TransformerEncoder", "TransformerDecoder"}:
        layer = named(name)(named(f"{name}Layer")(2, 1, 2), 1)
    else:
        layer = named(name)(*_INPUTS.get(last, ((2, 2), ()))[0])
    shape = _INPUTS.get(
        last, ((), (2, 1, 2) if last.startswith("Transformer") or last in {"RNN", "LSTM", "GRU"} else (1, 2))
    )[1]

    with pytest.raises((RuntimeError, ValueError), match=r"dtype|type|Double|double"):
        layer(*[torch.zeros(shape, dtype=torch.float64)] * _TIMES.get(last, 1))


@pytest.mark.parametrize("names", sorted(dtypes.LABEL_LOSSES.items()))
def test_losses_of_labels_want_int64(names: tuple[str, str]) -> None:
    scores = torch.zeros(2, 3)

    for loss in (named(names[0])(), named(names[1])):
        for kind in (torch.int64, torch.uint8):
            loss(scores, torch.zeros(2, dtype=kind))
        for name in sorted(dtypes.NO_LABELS):
            with pytest.raises(RuntimeError, match=r"expected (target d|scalar )type"):
                loss(scores, torch.zeros(2, dtype=named(f"torch.{name}")))


_ALL = ("int64", "int32", "int16", "int8", "uint8", "bool", "float32")


@pytest.mark.parametrize("dtype", _ALL)
@pytest.mark.parametrize("names", sorted(dtypes.NO_TARGETS))
def test_losses_of_numbers_refuse_some_targets(names: tuple[str, str], dtype: str) -> None:
    scores, target = torch.full((2, 3), 0.5, requires_grad=True), torch.ones(2, 3, dtype=named(f"torch.{dtype}"))

    for loss in (named(names[0])(), named(names[1])):
        if dtype in dtypes.NO_TARGETS[names]:
            with pytest.raises(RuntimeError, match=r"can't be cast|Found dtype|Integral inputs|Subtraction"):
                loss(scores, target)
        else:
            loss(scores, target).backward()


@pytest.mark.parametrize("name", sorted(dtypes.CONVERTING))
def test_a_method_may_convert(name: str) -> None:
    other = torch.ones(2, dtype=torch.int16)
    given = {"to": [torch.int16], "type": [torch.int16], "type_as": [other]}.get(name, [])

    assert {getattr(one, name)(*given).dtype != one.dtype for one in (torch.ones(2), other.bool())} >= {True}


@pytest.mark.parametrize("names", sorted(dtypes.NO_DOUBLES.items()))
def test_losses_of_numbers_refuse_targets_in_double_precision(names: tuple[str, str]) -> None:
    scores, target = torch.full((2, 3), 0.5, requires_grad=True), torch.ones(2, 3, dtype=torch.float64)

    for loss in (named(names[0])(), named(names[1])):
        with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
            loss(scores, target).backward()


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "binary_cross_entropy_with_logits"])
def test_other_losses_compute_in_double_precision(name: str) -> None:
    scores = torch.full((2, 3), 0.5, requires_grad=True)
    loss = named(f"torch.nn.functional.{name}")(scores, torch.ones(2, 3, dtype=torch.float64))
    loss.backward()

    assert (loss.dtype, scores.grad is not None) == (torch.float64, True)


@pytest.mark.parametrize("dtype", _ALL)
def test_a_squared_error_converts_its_target(dtype: str) -> None:
    scores = torch.full((2, 3), 0.5, requires_grad=True)

    torch.nn.functional.mse_loss(scores, torch.ones(2, 3, dtype=named(f"torch.{dtype}"))).backward()


@pytest.mark.parametrize("name", sorted(dtypes.NOT_OF_NUMPY))
def test_numpy_has_no_such_dtype(name: str) -> None:
    tensor = torch.ones(2, dtype=getattr(torch, name))

    for convert in (tensor.numpy, lambda: np.asarray(tensor), lambda: tensor.numpy(force=True)):
        with pytest.raises(TypeError, match="Got unsupported ScalarType"):
            convert()
    assert tensor.float().numpy().tolist() == tensor.tolist()


@pytest.mark.parametrize("name", sorted({*dtypes.DTYPES.values()} - dtypes.NOT_OF_NUMPY))
def test_numpy_has_every_other_dtype(name: str) -> None:
    assert str(torch.ones(2, dtype=getattr(torch, name)).numpy().dtype) == name


@pytest.mark.parametrize("name", sorted(dtypes.OTHER_FLOATS))
def test_another_dtype_of_floats_has_a_graph_and_memory_of_its_own(name: str) -> None:
    leaf = torch.ones(2, requires_grad=True)
    found = getattr(leaf, name)()

    assert found.is_floating_point()
    assert found.requires_grad
    assert found is not leaf


@pytest.mark.parametrize("name", sorted(dtypes.APPENDING))
def test_what_appends_can_be_passed_what_it_returned(name: str) -> None:
    found = part = torch.ones(2, 3, 4)
    for _ in range(3):
        found = getattr(torch, name)((found, part))

    assert found.numel() == 4 * part.numel()


def test_a_stack_cannot_be_stacked_with_one_more() -> None:
    with pytest.raises(RuntimeError, match="equal size"):
        torch.stack((torch.stack((torch.ones(2), torch.ones(2))), torch.ones(2)))
