"""Which functions of NumPy ask a tensor for an ndarray: with one that requires grad, they raise."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

from torchlint.pytorch.numpy_calls import NO_ARRAY_OF_LIST, NO_ARRAY_OF_TENSOR

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
