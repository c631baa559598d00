"""Which functions of NumPy ask a tensor for an ndarray: with one that requires grad, they raise."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import reduce
from importlib import import_module

import pytest

from torchlint.pytorch.numpy_calls import ARRAY_ARGUMENTS, NO_ARRAY_OF_LIST, NO_ARRAY_OF_TENSOR, OF_TWO

torch = pytest.importorskip("torch", reason="the tensors are those of PyTorch")
numpy = pytest.importorskip("numpy", reason="the functions are those of NumPy")

# They read or write files, or only print.
_OF_FILES = frozenset("fromfile info load memmap save savez savez_compressed show_config show_runtime test".split())


def _takes(function: Callable[..., object], given: object) -> bool:
    """Tell whether a function returns something, given this alone."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(given)
    except Exception:  # noqa: BLE001
        return False
    return True


def _functions() -> dict[str, Callable[..., object]]:
    named = {name: getattr(numpy, name) for name in dir(numpy) if name[0] != "_" and name not in _OF_FILES}
    return {f"numpy.{name}": one for name, one in named.items() if callable(one)}


def test_all_others_refuse_a_list_of_tensors_that_require_grad() -> None:
    tensor = torch.ones(3, requires_grad=True) * 2

    taking = {name for name, one in _functions().items() if _takes(one, [tensor, tensor])}

    assert taking <= NO_ARRAY_OF_LIST


@pytest.mark.parametrize("name", "exp log10 round array asarray abs isnan save".split())
def test_a_function_of_numbers_refuses_a_tensor_that_requires_grad(name: str) -> None:
    tensor = torch.ones(3, requires_grad=True) * 2

    with pytest.raises(RuntimeError, match="requires grad"):
        getattr(numpy, name)(*(("/dev/null",) if name == "save" else ()), tensor)


@pytest.mark.parametrize("name", sorted(NO_ARRAY_OF_TENSOR - {"numpy.fromiter"}))
def test_these_take_a_tensor_that_requires_grad(name: str) -> None:
    tensor = torch.ones((), requires_grad=True) * 2 if name in {"numpy.double", "numpy.float64"} else torch.ones(2, 2)

    assert _takes(getattr(numpy, name.removeprefix("numpy.")), tensor)


def _refuses(function: Callable[..., object], *given: object, **named: object) -> bool:
    """Tell whether a function fails for a tensor that requires grad, and says so."""
    try:
        function(*given, **named)
    except RuntimeError as error:
        return "requires grad" in str(error)
    return False


@pytest.mark.parametrize("name", sorted(OF_TWO))
def test_the_second_argument_is_refused_as_the_first(name: str) -> None:
    function: Callable[..., object] = reduce(getattr, name.split(".")[1:], numpy)
    first = "/dev/null" if "save" in name else numpy.arange(1.0, 4.0)
    tensor = torch.ones(3, requires_grad=True) * 2

    assert _refuses(function, first, tensor)
    assert _refuses(function, first, [tensor[0], tensor[1], tensor[2]])


@pytest.mark.parametrize("name", sorted(ARRAY_ARGUMENTS))
def test_other_packages_make_arrays_of_tensors_and_of_lists(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    package, _, last = name.rpartition(".")
    pytest.importorskip(name.partition(".")[0])
    row, function = ARRAY_ARGUMENTS[name], getattr(import_module(package), last)
    tensor = torch.eye(2, requires_grad=True) * 1
    given = tensor if row.taken == 1 or last == "imsave" else tensor[0]

    for position in range(last == "imsave", row.taken):
        for one in (given, list(given)):
            others: list[object] = ["/dev/null" if last == "imsave" else numpy.eye(2)[0]] * row.taken
            others[position] = one
            more = {"beta": 1.0} if last == "fbeta_score" else {}
            assert _refuses(function, *others, **more)
