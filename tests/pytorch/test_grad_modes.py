"""Blocks that set how something is computed, and what tells whether autograd records, asked of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.grad_modes import ABOUT_GRAPH, ABOUT_RECORDING, COMPUTING_MODES, FREEZING, GRAD_MODES

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")


@pytest.mark.parametrize("name", sorted(COMPUTING_MODES))
def test_a_mode_changes_how_something_is_computed(name: str) -> None:
    def computed() -> tuple[object, ...]:
        product = torch.ones(1, 1) @ torch.ones(1, 1, requires_grad=True)
        return product.requires_grad, product.dtype, product.device

    given = {"autocast": ("cpu",), "device": ("meta",), "set_grad_enabled": (False,)}.get(name, ())
    with torch.no_grad() if name == "enable_grad" else torch.enable_grad():
        outside = computed()
        with getattr(torch, name)(*given):
            assert computed() != outside


def test_every_mode_of_autograd_is_one() -> None:
    assert GRAD_MODES.keys() <= COMPUTING_MODES


def _told(name: str, result: Any) -> object:
    return getattr(torch, name)() if name.startswith("is_") and name != "is_leaf" else getattr(result, name)


@pytest.mark.parametrize("name", sorted(ABOUT_RECORDING))
def test_it_tells_whether_autograd_records(name: str) -> None:
    weight = torch.ones(1, requires_grad=True)
    recorded = bool(_told(name, weight * 2))
    with torch.inference_mode():
        assert bool(_told(name, weight * 2)) is not recorded


def test_what_tells_of_a_graph_is_an_attribute() -> None:
    assert set(dir(torch.Tensor)) & ABOUT_RECORDING >= ABOUT_GRAPH


@pytest.mark.parametrize("name", FREEZING)
def test_it_freezes_a_parameter(name: str) -> None:
    weight = torch.nn.Parameter(torch.ones(1))
    getattr(weight, name)(False) if callable(getattr(weight, name)) else setattr(weight, name, False)

    assert not (weight * 2).requires_grad
