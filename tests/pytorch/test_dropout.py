"""What drops in evaluation, too, asked of PyTorch."""

from __future__ import annotations

import inspect

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.dropout import ATTENTION, DROPPING
from torchlint.pytorch.layers import DROPOUTS, LAST_DROPOUT, NORMS, SCALING

torch = pytest.importorskip("torch", reason="it is PyTorch that drops")


@pytest.mark.parametrize("name", sorted(DROPPING))
def test_a_function_drops_unless_it_is_not_for_training(name: str) -> None:
    function, x = named(name), torch.ones(4, 4, 4, 4)
    names = list(inspect.signature(function).parameters)
    x = x[0] if name.endswith("1d") else x

    assert names[1:3] == ["p", "training"]
    assert (function(x, 0.9) == 0).any()
    assert (function(x, 0.9, False) == x).all()


def test_attention_drops_with_a_probability() -> None:
    x = torch.ones(2, 8, 8)
    query = (x, x, x, None)

    assert (named(ATTENTION)(*query, 0.9) != named(ATTENTION)(*query)).any()


@pytest.mark.parametrize("name", sorted(DROPOUTS))
def test_a_layer_drops_in_training_mode_alone(name: str) -> None:
    layer, x = getattr(torch.nn, name)(0.9), torch.ones(1, 64, 2, 2, 2)
    x = {"Dropout1d": x[..., 0, 0], "Dropout2d": x[..., 0]}.get(name, x)

    assert next(iter(inspect.signature(type(layer)).parameters)) == "p"
    assert (layer(x) != x).any()
    assert (layer.eval()(x) == x).all()


@pytest.mark.parametrize(("name", "position"), [*LAST_DROPOUT.items()])
def test_the_last_layer_drops_nothing(name: str, position: int) -> None:
    kind = named(name)
    parameters = list(inspect.signature(torch.nn.RNNBase.__init__).parameters)[2:]
    own = [one for one in parameters if one != "mode"]
    arguments: list[object] = [3, 3, 1]

    assert own.index("num_layers") == 2
    with pytest.warns(UserWarning, match="dropout option adds dropout after all but last"):
        kind(*arguments, *([] if position == 5 else ["tanh"]), True, False, 0.5)


def test_a_layer_that_scales_starts_with_ones() -> None:
    made = {"GroupNorm": torch.nn.GroupNorm(2, 2)}
    layers = {name: made.get(name) or getattr(torch.nn, name)(2) for name in SCALING}

    assert all((layer.weight == 1).all() and not hasattr(layer, "running_mean") for layer in layers.values())
    assert all(getattr(torch.nn, name)(2).running_mean is not None for name in NORMS)
