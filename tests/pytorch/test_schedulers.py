"""Which schedulers end, asked of PyTorch."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from torchlint.pytorch.schedulers import ONE_CYCLE, SIZED

torch: Any = pytest.importorskip("torch", reason="it is torch that raises")


@pytest.mark.parametrize("words", [{"total_steps": 4}, {"epochs": 2, "steps_per_epoch": 2}])
def test_one_step_more_than_it_is_made_for_raises(words: dict[str, int]) -> None:
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, **words)

    for _ in range(4):
        optimizer.step()
        scheduler.step()
    with pytest.raises(ValueError, match="Tried to step 5 times"):
        scheduler.step()


def test_the_numbers_are_passed_where_the_table_says() -> None:
    parameters = list(inspect.signature(torch.optim.lr_scheduler.OneCycleLR).parameters)

    for name, position in (ONE_CYCLE.total, *ONE_CYCLE.factors):
        assert parameters[position] == name


@pytest.mark.parametrize("name", sorted(SIZED))
def test_the_first_argument_is_the_length(name: str) -> None:
    function = getattr(torch, name.removeprefix("torch."))

    assert len(function(3, 2)) == len(function((3, 2))) == 3
