"""Which layers have tensors of their own, against those of PyTorch."""

from __future__ import annotations

import inspect
from itertools import product
from typing import Any

import pytest

from torchlint.pytorch.companions.torchvision import TRACKING_MODELS
from torchlint.pytorch.layers import (
    AROUND_OTHERS,
    KEEPS_PAIR,
    OWN_TENSORS,
    SIZES,
    SWITCHES,
    TRACKING,
    WEIGHTED,
    WITH_WEIGHT,
    is_bare,
)
from torchlint.pytorch.symbols import NN

torch = pytest.importorskip("torch", reason="the layers are those of PyTorch")


def _made(name: str, **given: object) -> Any:
    """Return a layer with each required number set to 4."""
    if name in {"TransformerEncoder", "TransformerDecoder"}:
        return getattr(torch.nn, name)(_made(f"{name}Layer"), 1)
    kind = getattr(torch.nn, name)
    words = (one for one in inspect.signature(kind).parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD)
    needed = {one.name: 4 for one in words if one.default is one.empty}
    needed |= dict.fromkeys(("d_model", "nhead"), 4) if name == "Transformer" else {}
    return kind(4, 4) if not needed else kind(**needed, **given)


def _has_tensors(module: Any) -> bool:
    return any(True for _ in (*module.parameters(), *module.buffers()))


@pytest.mark.parametrize("name", sorted(WEIGHTED))
def test_a_weighted_layer_has_tensors(name: str) -> None:
    assert _has_tensors(_made(name))


@pytest.mark.parametrize("name", sorted(SWITCHES))
def test_a_switch_tells_whether_a_layer_has_tensors(name: str) -> None:
    switches = SWITCHES[name]

    for values in product((False, True), repeat=len(switches)):
        made = _made(name, **{one.name: value for one, value in zip(switches, values, strict=True)})

        assert _has_tensors(made) is any(values)


@pytest.mark.parametrize("name", sorted(SWITCHES))
def test_a_switch_stands_where_it_is_said_to(name: str) -> None:
    parameters = list(inspect.signature(getattr(torch.nn, name)).parameters.values())

    assert all(parameters[one.position].name == one.name for one in SWITCHES[name])
    assert all(parameters[one.position].default is one.default for one in SWITCHES[name])


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"])
def test_the_state_of_some_layers_is_a_pair(name: str) -> None:
    returned = _made(name)(torch.ones(2, 4))
    state = returned if name.endswith("Cell") else returned[1]

    assert isinstance(state, tuple) is (name in KEEPS_PAIR)


def test_the_layers_that_track_statistics_have_some() -> None:
    layers = {name for name in TRACKING if hasattr(torch.nn, name.rpartition(".")[2])}

    assert {name for name in layers if getattr(torch.nn, name.rpartition(".")[2])(2).running_mean is None} == set()
    assert len(layers) == len(TRACKING) == 4


def test_models_with_batch_norms_are_known_by_their_names() -> None:
    models: Any = pytest.importorskip("torchvision.models", reason="the models are torchvision's")

    listed = [name for name in models.list_models(module=models) if name.startswith(tuple(TRACKING_MODELS))]
    for name in (*listed, "vgg11_bn"):
        assert any("BatchNorm" in type(layer).__name__ for layer in models.get_model(name).modules()), name


@pytest.mark.parametrize("name", sorted(WITH_WEIGHT))
def test_a_layer_with_a_weight_has_tensors_by_these_names(name: str) -> None:
    made = _made(name)

    assert all(isinstance(getattr(made, attribute, None), torch.Tensor | None) for attribute in OWN_TENSORS)


@pytest.mark.parametrize("name", sorted((WEIGHTED | SWITCHES.keys()) - WITH_WEIGHT))
def test_any_other_layer_has_no_weight(name: str) -> None:
    assert not hasattr(_made(name), "weight")


@pytest.mark.parametrize("name", sorted(SIZES))
def test_a_size_of_a_layer_is_no_module(name: str) -> None:
    found = [getattr(layer, name) for one in sorted(WEIGHTED | SWITCHES.keys()) if hasattr(layer := _made(one), name)]

    assert found
    assert not any(isinstance(one, torch.nn.Module) for one in found)


_NOT_MADE = {"Container", "DataParallel", "Module", "RNNBase", "RNNCellBase"}
_LAYERS = {
    name
    for name, value in vars(torch.nn).items()
    if inspect.isclass(value) and issubclass(value, torch.nn.Module) and name not in _NOT_MADE
}
_GIVEN: dict[str, tuple[object, ...]] = {
    "AdaptiveLogSoftmaxWithLoss": (4, 8, [2]),
    "ChannelShuffle": (2,),
    "FractionalMaxPool2d": (2, 2),
    "FractionalMaxPool3d": (2, 2),
    "Unflatten": (0, (2, 2)),
}


@pytest.mark.parametrize("name", sorted(_LAYERS))
@pytest.mark.filterwarnings("ignore")
def test_a_layer_that_looks_bare_has_no_tensors(name: str) -> None:
    kind = getattr(torch.nn, name)
    try:
        made = kind(*_GIVEN.get(name, ()))
    except TypeError:
        made = _made(name)

    assert not is_bare(f"{NN}{name}") or not _has_tensors(made)


@pytest.mark.parametrize("name", sorted(AROUND_OTHERS))
def test_a_layer_is_made_of_another(name: str) -> None:
    inner = torch.nn.Linear(2, 2)
    made = getattr(torch.nn, name)(*((inner,) if name == "Sequential" else (inner, 2)))

    assert any(isinstance(part, torch.nn.Linear) for part in made.modules())
