"""What gradients are computed from, asked of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.layers import GRADIENT_BY_WEIGHT, SAME_ELEMENTS, WEIGHTED
from torchlint.pytorch.saved_results import FREED, SAVING
from torchlint.pytorch.symbols import NN

torch: Any = pytest.importorskip("torch", reason="it is autograd that computes them")


def _input(name: str) -> Any:
    dimensions = next((int(digit) for digit in name if digit.isdigit()), 0)
    return torch.ones(2, 3, *(4,) * dimensions, requires_grad=True)


@pytest.mark.parametrize("name", sorted(GRADIENT_BY_WEIGHT))
def test_a_weight_that_has_changed_is_refused(name: str) -> None:
    layer = named(name)(*((3, 3) if name.endswith("Linear") else (3, 3, 1)))
    result = layer(_input(name.removeprefix(NN)) * 1)
    with torch.no_grad():
        layer.weight.add_(1)

    assert name.removeprefix(NN) in WEIGHTED
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


@pytest.mark.parametrize("name", sorted(SAVING))
def test_a_result_that_has_changed_is_refused(name: str) -> None:
    x = torch.full((2, 2, 2, 2), 0.5, requires_grad=True)
    last = name.rpartition(".")[2]
    dim = (1,) if last in {"softmax", "softmin", "log_softmax", "logsumexp"} else ()
    if last[0].isupper() and last != "Tensor":
        result = named(name)(*((1,) if last in {"LogSoftmax", "Softmax", "Softmin"} else ()))(x)
    else:
        result = named(name)(x, *dim)
    with torch.no_grad():
        result.add_(1)

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


_SECOND = set(
    "bmm cosine_similarity cross_entropy div dot l1_loss linear matmul mm mse_loss mul mv smooth_l1_loss".split()
)
_VECTORS = {"dot", "mv"}


@pytest.mark.parametrize("name", sorted(FREED - SAVING))
def test_a_second_backward_through_what_saves_tensors_is_refused(name: str) -> None:
    last = name.rpartition(".")[2]
    x = torch.full((2, 2, 2) if last == "bmm" else (2, 2), 0.5, requires_grad=True)
    given = x[0] if last == "dot" else x
    other = torch.full(given.shape if last not in _VECTORS else (2,), 0.5)
    more = {"clamp": (0.1, 0.9), "cumprod": (0,), "pow": (2,)}.get(last, (other,) if last in _SECOND else ())
    result = named(name)(given, *more).sum()
    result.backward()

    with pytest.raises(RuntimeError, match="a second time"):
        result.backward()


@pytest.mark.parametrize("name", sorted(SAME_ELEMENTS))
def test_a_layer_returns_the_same_elements(name: str) -> None:
    arguments = (1, (2, 2)) if name.endswith("Unflatten") else ()
    x = torch.arange(8.0).reshape(2, 4)

    assert named(name)(*arguments)(x).flatten().equal(x.flatten())
