"""What has no graph, whatever the tensor has that it is asked of."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.gradient_ends import (
    ARGMAX,
    DETACHING,
    ENDING_ATTRIBUTES,
    ENDING_FUNCTIONS,
    ENDING_METHODS,
    KEEPING_GRAPHS,
    LEAVES,
    OF_LEAVES,
    READ_ATTRIBUTES,
    READS,
    REQUIRING,
    WITHOUT_HISTORY,
)

torch = pytest.importorskip("torch")
_BINARY = frozenset("eq ne lt le gt ge isclose allclose equal logical_and logical_or".split())
_SIZED = {"new_zeros": (2,), "new_ones": (2,), "new_empty": (2,), "new_full": ((2,), 1.0)}


@pytest.mark.parametrize("name", sorted(ENDING_METHODS | ENDING_ATTRIBUTES | ENDING_FUNCTIONS))
def test_nothing_goes_back_from_there(name: str) -> None:
    tensor = torch.ones(1, requires_grad=True) * 2

    if name in ENDING_FUNCTIONS:
        found = getattr(torch, name)(tensor, *((1.0,) if name == "full_like" else ()))
    else:
        asked = getattr(tensor, name)
        given = (tensor,) if name in _BINARY else _SIZED.get(name, ())
        found = asked(*given) if name in ENDING_METHODS else asked

    assert not isinstance(found, torch.Tensor) or not found.requires_grad


def _result_of(package: str, tensor: Any) -> object:
    match package:
        case "builtins":
            return sum([tensor, tensor])
        case "math":
            return math.sqrt(tensor.sum())
        case "einops":
            return pytest.importorskip("einops").rearrange(tensor, "a b -> b a")
        case _:
            return torch.relu(tensor)


@pytest.mark.parametrize("package", sorted(KEEPING_GRAPHS))
def test_a_package_that_keeps_graphs_returns_one_or_a_number(package: str) -> None:
    found = _result_of(package, torch.ones(2, 2, requires_grad=True) * 2)

    assert not isinstance(found, torch.Tensor) or found.requires_grad


@pytest.mark.parametrize("name", sorted(LEAVES))
@pytest.mark.filterwarnings("ignore")
def test_a_leaf_has_no_graph_of_what_it_is_made_of(name: str) -> None:
    found = named(name)(torch.ones(2, requires_grad=True) * 2)

    assert found.is_leaf


@pytest.mark.parametrize("name", sorted(DETACHING - {"requires_grad_"}))
def test_a_state_goes_on_without_its_graph(name: str) -> None:
    state = torch.ones(1, requires_grad=True) * 2
    asked = getattr(state, name)
    found = asked() if callable(asked) else asked

    assert not isinstance(found, torch.Tensor) or not found.requires_grad


def test_a_detached_state_is_made_a_leaf_again() -> None:
    state = (torch.ones(1, requires_grad=True) * 2).detach().requires_grad_()

    assert state.is_leaf


@pytest.mark.parametrize("name", sorted(REQUIRING))
def test_a_leaf_that_may_require_gradients_is_made(name: str) -> None:
    given = torch.ones(1)
    made = {
        "Parameter": lambda: torch.nn.Parameter(given),
        "Variable": lambda: torch.autograd.Variable(given, requires_grad=True),
        "requires_grad_": lambda: given.requires_grad_(),
    }[name]()

    assert made.is_leaf
    assert made.requires_grad


@pytest.mark.filterwarnings("ignore:The .grad attribute")
def test_only_a_leaf_has_a_gradient() -> None:
    gradient, method = OF_LEAVES
    leaf = getattr(torch.ones(1), method)()
    result = leaf * 2
    result.backward()

    assert getattr(leaf, gradient) is not None
    assert getattr(result, gradient) is None


@pytest.mark.parametrize("name", sorted(READS | READ_ATTRIBUTES))
def test_nothing_after_a_read_is_differentiated(name: str) -> None:
    result = torch.ones(1, requires_grad=True) * 2
    if name == "numpy":
        with pytest.raises(RuntimeError, match="requires grad"):
            result.numpy()
        return
    asked = getattr(result, name)
    found = asked() if name in READS else asked

    assert not isinstance(found, torch.Tensor) or not found.requires_grad
    assert not named(ARGMAX)(result).requires_grad


@pytest.mark.parametrize("name", WITHOUT_HISTORY)
def test_a_method_and_a_function_end_the_history_of_what_they_return(name: str) -> None:
    for is_method in (True, False):
        tensor = torch.ones(1, requires_grad=True) * 2
        found = getattr(tensor, name)() if is_method else getattr(torch, name)(tensor)

        assert found.grad_fn is None
        assert (tensor.grad_fn is None) is (found is tensor) is name.endswith("_")
