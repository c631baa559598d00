"""Activation checkpointing, asked of PyTorch."""

from __future__ import annotations

import inspect

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.checkpointing import CHECKPOINT_SEQUENTIAL, PASSED_ON_AT, REENTRANT, REENTRANT_SINCE

torch = pytest.importorskip("torch", reason="it is PyTorch that computes again")


@pytest.mark.parametrize("name", sorted(REENTRANT_SINCE))
def test_it_warns_where_the_choice_is_left_out(name: str) -> None:
    function = named(name)
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    x = torch.ones(2, 2, requires_grad=True)
    arguments = (model, 2, x) if name == CHECKPOINT_SEQUENTIAL else (model, x)

    with pytest.warns(UserWarning, match=f"{REENTRANT} parameter should be passed explicitly"):
        function(*arguments)
    assert function(*arguments, **{REENTRANT: False}).requires_grad


def test_the_choice_comes_last() -> None:
    assert list(inspect.signature(named(CHECKPOINT_SEQUENTIAL)).parameters).index(REENTRANT) == PASSED_ON_AT
