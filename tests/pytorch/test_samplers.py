"""Where samplers take their arguments, asked of PyTorch."""

from __future__ import annotations

import inspect

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.samplers import GENERATOR_AT, SHUFFLE_AT
from torchlint.pytorch.symbols import DISTRIBUTED_SAMPLER

pytest.importorskip("torch", reason="the samplers are PyTorch's")


@pytest.mark.parametrize(("name", "position"), [*GENERATOR_AT.items()])
def test_the_generator_is_at_its_position(name: str, position: int) -> None:
    assert list(inspect.signature(named(name)).parameters).index("generator") == position


def test_whether_to_shuffle_is_at_its_position() -> None:
    assert list(inspect.signature(named(DISTRIBUTED_SAMPLER)).parameters).index("shuffle") == SHUFFLE_AT
