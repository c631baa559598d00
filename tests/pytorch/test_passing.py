"""Functions that return their argument, asked of PyTorch."""

from __future__ import annotations

import warnings

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.anomaly import ANOMALY, SET_ANOMALY
from torchlint.pytorch.clipping import CLIPPING
from torchlint.pytorch.passing import PASSING, REPARAMETRIZING
from torchlint.pytorch.symbols import CONVERT_NORMS

torch = pytest.importorskip("torch", reason="the functions are PyTorch's")


@pytest.mark.parametrize("name", sorted(REPARAMETRIZING))
def test_a_module_is_changed_and_returned(name: str) -> None:
    layer = torch.nn.Linear(2, 2)

    with warnings.catch_warnings(action="ignore"):
        assert named(name)(layer) is layer


def test_norms_are_converted_in_place() -> None:
    module = torch.nn.Sequential(torch.nn.BatchNorm1d(2))

    assert CONVERT_NORMS in PASSING
    assert named(CONVERT_NORMS)(module) is module
    assert isinstance(module[0], torch.nn.SyncBatchNorm)


@pytest.mark.parametrize("name", sorted(CLIPPING))
def test_gradients_are_limited_in_place(name: str) -> None:
    weight = torch.nn.Parameter(torch.zeros(2))
    weight.grad = torch.full((2,), 3.0)
    arguments = (1.0, torch.tensor(6.0)) if name.endswith("with_norm_") else (1.0,)

    with warnings.catch_warnings(action="ignore"):
        named(name)([weight], *arguments)
    assert weight.grad.max() < 3


def test_anomalies_are_searched_for() -> None:
    with named(ANOMALY)(), pytest.raises(RuntimeError, match="returned nan values"):
        (torch.zeros(1, requires_grad=True) * 0).sqrt().mul(0).backward()
    with named(SET_ANOMALY)(True):
        assert torch.is_anomaly_enabled()
    assert not torch.is_anomaly_enabled()
