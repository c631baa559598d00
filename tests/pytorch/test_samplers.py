"""Where samplers take their arguments, asked of PyTorch."""

from __future__ import annotations

import inspect

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.loaders import LOADER_AT
from torchlint.pytorch.samplers import GENERATOR_AT, SHUFFLE_AT
from torchlint.pytorch.symbols import DISTRIBUTED_SAMPLER, LOADER

pytest.importorskip("torch", reason="the samplers are PyTorch's")


@pytest.mark.parametrize(("name", "position"), [*GENERATOR_AT.items()])
def test_the_generator_is_at_its_position(name: str, position: int) -> None:
    assert list(inspect.signature(named(name)).parameters).index("generator") == position


def test_whether_to_shuffle_is_at_its_position() -> None:
    assert list(inspect.signature(named(DISTRIBUTED_SAMPLER)).parameters).index("shuffle") == SHUFFLE_AT


def test_the_parameters_of_a_loader_are_at_their_positions() -> None:
    parameters = list(inspect.signature(named(LOADER)).parameters.values())
    by_position = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]

    assert by_position == list(LOADER_AT)
    assert list(LOADER_AT.values()) == list(range(len(by_position)))
