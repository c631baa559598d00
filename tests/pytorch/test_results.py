"""What functions and methods return, asked of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from torchlint.pytorch.clipping import NORMS
from torchlint.pytorch.results import (
    COUNTS,
    DTYPES_OF,
    NON_DIFFERENTIABLE,
    NOT_OF_NUMBERS,
    NUMBERS,
    NUMBERS_OF_OTHERS,
    TENSOR_COUNTS,
    TENSOR_HOOKS,
    TENSOR_NUMBERS,
    TENSOR_ONLY,
    TENSOR_SPACES,
    WITHOUT_CUDA,
)
from torchlint.pytorch.symbols import HANDLE

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")
torchgen: Any = pytest.importorskip("torchgen", reason="it comes with torch")

# The arguments of a method besides the tensor, and of a function after it; none if it is not named.
_GIVEN: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys("eq ge greater greater_equal gt le less less_equal lt ne not_equal".split(), (0.5,)),
    **dict.fromkeys(
        "allclose equal is_same_size is_set_to isclose isin logical_and logical_or logical_xor".split(),
        (torch.ones(3),),
    ),
    **dict.fromkeys("new_empty new_ones new_zeros".split(), ((2,),)),
    "bucketize": (torch.arange(3.0),),
    "full_like": (1.0,),
    "multinomial": (1,),
    "new_full": ((2,), 1.0),
    "new_tensor": ([1.0],),
    "randint_like": (2,),
    "size": (0,),
    "stride": (0,),
}
_OF_INTEGERS = {"bincount", "one_hot"}


def _recorded() -> Any:
    """Return a tensor with a graph behind it."""
    return torch.rand(3, requires_grad=True) * 0.5


def _called(name: str) -> Any:
    tensor = torch.tensor([1, 2]) if name in _OF_INTEGERS else _recorded()
    if name == "searchsorted":
        return torch.searchsorted(torch.arange(3.0), tensor)
    if hasattr(tensor, name):
        return getattr(tensor, name)(*_GIVEN.get(name, ()))
    space = torch if hasattr(torch, name) else torch.nn.functional
    return getattr(space, name)(tensor, *_GIVEN.get(name, ()))


@pytest.mark.parametrize("name", sorted(NON_DIFFERENTIABLE))
def test_what_is_not_differentiable_records_nothing(name: str) -> None:
    result = _called(name)

    assert not (isinstance(result, torch.Tensor) and result.requires_grad)


@pytest.mark.parametrize("name", ["round", "floor", "ceil", "sign", "bernoulli", "clamp", "trunc", "frac"])
def test_what_has_no_gradient_to_speak_of_records_all_the_same(name: str) -> None:
    assert name not in NON_DIFFERENTIABLE
    assert getattr(_recorded(), name)(*((0.1,) if name == "clamp" else ())).requires_grad


@pytest.mark.parametrize("name", sorted(TENSOR_NUMBERS))
def test_a_number_of_a_tensor_is_no_tensor(name: str) -> None:
    tensor = torch.ones(1) if name == "item" else torch.ones(3)
    tensor = tensor.to_sparse() if name == "is_coalesced" else tensor
    result = getattr(tensor, name)(*_GIVEN.get(name, ()))

    assert isinstance(result, (bool, int, float))


@pytest.mark.parametrize("name", sorted(TENSOR_COUNTS))
def test_a_count_of_a_tensor_without_elements_is_not_negative(name: str) -> None:
    for tensor in (torch.ones(0, 3), torch.tensor(1.0).to_sparse() if name.endswith("_dim") else torch.tensor(1.0)):
        given = _GIVEN.get(name, ()) if tensor.dim() else ()
        counted = getattr(tensor, name)(*given)

        assert name in TENSOR_NUMBERS
        assert (counted if isinstance(counted, int) else len(counted)) >= 0


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_a_count_is_not_negative_without_anything_to_count(name: str) -> None:
    found = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part)

    assert name in NUMBERS
    assert found(*((torch.ones(0),) if name == "torch.numel" else ())) >= 0


@pytest.mark.parametrize("name", sorted(TENSOR_HOOKS))
def test_a_hook_is_a_handle_that_keeps_no_tensor(name: str) -> None:
    tensor = torch.ones(3, requires_grad=True)
    handle = getattr(tensor, name)(print)

    assert f"{type(handle).__module__}.{type(handle).__qualname__}" == HANDLE
    assert not any(isinstance(held, torch.Tensor) for held in vars(handle).values())


@pytest.mark.parametrize("name", sorted(WITHOUT_CUDA))
def test_an_operation_without_cuda_has_no_kernel_there(name: str) -> None:
    declared = Path(torchgen.__file__).parent.joinpath("packaged/ATen/native/native_functions.yaml").read_text("utf-8")
    operations = [one for one in declared.split("\n- func: ") if one.lstrip("_").startswith(name)]
    kernels = [one.partition("dispatch:")[2] for one in operations]

    assert any("CPU" in kernel for kernel in kernels)
    assert not any("CUDA" in kernel or "Composite" in kernel for kernel in kernels)


@pytest.mark.parametrize("name", sorted(TENSOR_ONLY))
def test_a_method_of_tensors_alone_is_none_of_modules_or_arrays(name: str) -> None:
    assert hasattr(torch.Tensor, name)
    assert not hasattr(torch.nn.Module(), name)
    assert not any(hasattr(kind, name) for kind in (list, dict, set, tuple, str))


@pytest.mark.parametrize("name", sorted(TENSOR_ONLY))
def test_arrays_have_no_method_of_tensors_alone(name: str) -> None:
    assert not hasattr(pytest.importorskip("numpy").ndarray, name)


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_a_function_for_numbers_is_there_and_makes_no_tensor(name: str) -> None:
    found = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)

    assert callable(found)
    if name.startswith("torch.is_") and name != "torch.is_grad_enabled":
        assert found(torch.ones(1)) in {True, False}


@pytest.mark.parametrize("name", sorted(DTYPES_OF))
def test_a_function_for_dtypes_returns_one(name: str) -> None:
    function = getattr(torch, name.rpartition(".")[2])
    arguments = {"torch.get_default_dtype": (), "torch.promote_types": (torch.int8, torch.float16)}

    assert isinstance(function(*arguments.get(name, (torch.ones(1), 1))), torch.dtype)


def test_the_gain_of_an_activation_is_a_number() -> None:
    assert isinstance(torch.nn.init.calculate_gain("relu"), float)
    assert "torch.nn.init.calculate_gain" in NUMBERS


# What takes other arguments than two vectors of classes.
_MEASURED: Mapping[str, tuple[Any, Any]] = {
    "auc": ([0.0, 0.5, 1.0], [0.0, 0.5, 1.0]),
    "label_ranking_average_precision_score": ([[1, 0, 1]], [[0.1, 0.2, 0.3]]),
    "ndcg_score": ([[1, 0, 1]], [[0.1, 0.2, 0.3]]),
    "top_k_accuracy_score": ([0, 1, 2], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
}


@pytest.mark.parametrize("name", sorted(NUMBERS_OF_OTHERS))
def test_a_function_of_another_library_returns_a_number_of_tensors(name: str) -> None:
    pytest.importorskip(name.partition(".")[0])
    package, _, last = name.rpartition(".")
    given = _MEASURED.get(last, ([0, 1, 1, 0], [0, 1, 0, 0]))

    assert isinstance(getattr(import_module(package), last)(*map(torch.tensor, given)), (int, float))


@pytest.mark.parametrize("space", sorted(TENSOR_SPACES))
def test_a_namespace_of_tensors_is_one(space: str) -> None:
    assert hasattr(torch, space) or __import__(f"torch.{space}")


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", sorted(NORMS))
def test_a_norm_of_gradients_is_a_tensor_where_they_are_and_has_no_graph(name: str) -> None:
    net = torch.nn.Linear(2, 2, device="meta" if name.endswith("total_norm") else "cpu")
    gradients = [torch.ones_like(one) for one in net.parameters()]
    for one, gradient in zip(net.parameters(), gradients, strict=True):
        one.grad = gradient
    function = getattr(torch.nn.utils, name.rpartition(".")[2])
    norm = function(gradients) if name.endswith("total_norm") else function(net.parameters(), 1.0)

    assert norm.device == net.weight.device
    assert not norm.requires_grad


@pytest.mark.parametrize("name", sorted(NOT_OF_NUMBERS))
def test_a_tensor_has_it_and_no_number_does(name: str) -> None:
    assert hasattr(torch.ones(1), name)
    assert not any(hasattr(one, name) for one in (1, 1.0, True, 1j))
