"""Which results have the strides of an operand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from torchlint.pytorch.strides import BROADCAST, COMPARING, KEEPING_STRIDES, RANKING

torch = pytest.importorskip("torch", reason="the rows are about PyTorch")


def ranks() -> Any:
    return torch.randn(8, 10).topk(5, 1)[1].t()


def is_refused(tensor: Any, rows: int) -> bool:
    try:
        tensor[:rows].view(-1)
    except RuntimeError:
        return True
    return False


def test_a_view_of_transposed_rows_is_refused() -> None:
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
        ranks()[:2].view(-1)


def broadcast(name: str) -> Any:
    labels = torch.randint(10, (8,))
    made: dict[str, Callable[[], Any]] = {
        "view": lambda: labels.view(1, -1),
        "unsqueeze": lambda: labels.unsqueeze(0),
        "expand": lambda: labels.expand(5, 8),
        "expand_as": lambda: labels.view(1, -1).expand_as(ranks()),
    }
    return made[name]()


@pytest.mark.parametrize("other", sorted(BROADCAST))
@pytest.mark.parametrize("name", sorted(COMPARING))
def test_a_comparison_has_the_strides_of_what_is_not_broadcast(name: str, other: str) -> None:
    for left, right in ((ranks(), broadcast(other)), (broadcast(other), ranks())):
        for result in (getattr(left, name)(right), getattr(torch, name)(left, right)):
            assert is_refused(result, 2)
            assert not is_refused(result, 1)
    assert is_refused(getattr(ranks(), name)(torch.ones(5, 8)), 2)
    assert not is_refused(getattr(torch.ones(5, 8), name)(ranks()), 2)


@pytest.mark.parametrize("name", sorted(KEEPING_STRIDES - {"cuda"}))
def test_a_method_keeps_the_strides(name: str) -> None:
    given = {"to": (torch.float32,), "type": (torch.float32,)}.get(name, ())

    assert is_refused(getattr(ranks(), name)(*given), 2)
    assert not is_refused(getattr(torch.ones(5, 8), name)(*given), 2)


@pytest.mark.parametrize("scores", ["plain", "transposed", "sliced"])
@pytest.mark.parametrize("name", sorted(RANKING))
def test_the_results_are_in_the_order_of_their_elements(name: str, scores: str) -> None:
    given = {"plain": torch.rand(8, 10), "transposed": torch.rand(10, 8).t(), "sliced": torch.rand(8, 20)[:, ::2]}[
        scores
    ]

    for result in getattr(given, name)(5, 1):
        assert result.is_contiguous()
        assert is_refused(result.t(), 2)
