"""What losses expect, asked of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch.loss_inputs import LOSS_INPUTS
from torchlint.pytorch.losses import REDUCING
from torchlint.pytorch.softmaxes import FUNCTIONS, MODULES

torch: Any = pytest.importorskip("torch", reason="the losses are PyTorch's")

_SCORES = torch.tensor([[2.0, -1.0, 0.5], [0.0, 3.0, -2.0]])
_CLASSES = torch.tensor([0, 2])


def _made(name: str) -> Any:
    """Return what an activation, or a layer, makes of scores."""
    last, function = name.rpartition(".")[2], named(name)
    if last.startswith("Conv"):
        dimensions = int(last[4])
        return function(1, 1, 1)(_SCORES.reshape(1, 1, *(1,) * (dimensions - 1), 6)).reshape(2, 3)
    if last == "Linear":
        return function(3, 3)(_SCORES)
    if last == "Softmax2d":
        return function()(_SCORES.reshape(1, 3, 1, 2)).reshape(2, 3)
    if last[0].isupper():
        return function(*((1,) if last == "Softmax" else ()))(_SCORES)
    return function(_SCORES.clone(), *((1,) if last == "softmax" else ()))


@pytest.mark.parametrize(("mistake", "row"), [*LOSS_INPUTS.items()], ids=LOSS_INPUTS)
def test_a_loss_is_its_functions(mistake: str, row: Any) -> None:
    given = _SCORES.sigmoid() if mistake == "no sigmoid" else _SCORES.log_softmax(1)
    target = _CLASSES if "Entropy" in row.loss or "NLL" in row.loss else torch.full((2, 3), 0.3)
    options = {"reduction": "mean"} if mistake == "no log in kl" else {}
    losses = {named(row.loss)(**options)(given, target).item()}
    for function in row.functions:
        result = named(function)(given, target, **(options if "nn" in function else {}))
        losses.add(result.mean().item())

    assert max(losses) - min(losses) < 1e-6


@pytest.mark.parametrize("name", sorted(LOSS_INPUTS["softmax"].mismatched))
def test_cross_entropy_takes_the_softmax_itself(name: str) -> None:
    once = torch.nn.functional.nll_loss(_SCORES.log_softmax(1), _CLASSES)

    assert torch.nn.functional.cross_entropy(_SCORES, _CLASSES).isclose(once)
    assert not torch.nn.functional.cross_entropy(_made(name), _CLASSES).isclose(once)


@pytest.mark.parametrize("name", sorted(LOSS_INPUTS["sigmoid"].mismatched))
def test_binary_cross_entropy_with_logits_takes_the_sigmoid_itself(name: str) -> None:
    target = torch.zeros(2, 3)
    once = torch.nn.functional.binary_cross_entropy(_SCORES.sigmoid(), target)

    assert torch.nn.functional.binary_cross_entropy_with_logits(_SCORES, target).isclose(once)
    assert not torch.nn.functional.binary_cross_entropy_with_logits(_made(name), target).isclose(once)


@pytest.mark.parametrize("mistake", ["no log", "no log in kl"])
def test_no_logarithm_of_a_probability_is_above_zero(mistake: str) -> None:
    made = {name: _made(name) for name in LOSS_INPUTS[mistake].mismatched}

    bounded = {name for name, result in made.items() if (result >= 0).all()}
    assert {name.rpartition(".")[2] for name in made.keys() - bounded} <= {"Linear", "Conv1d", "Conv2d", "Conv3d"}


def test_no_probability_is_outside_of_zero_and_one() -> None:
    for outside in (-0.5, 1.5):
        with pytest.raises(RuntimeError, match="between 0 and 1"):
            torch.nn.functional.binary_cross_entropy(torch.tensor([outside]), torch.tensor([1.0]))
    tanh = {name for name in LOSS_INPUTS["no sigmoid"].mismatched if "anh" in name}
    assert all((_made(name) < 0).any() for name in tanh)


@pytest.mark.parametrize("name", sorted(FUNCTIONS | MODULES))
def test_a_softmax_chooses_its_dimension_and_warns(name: str) -> None:
    function = named(name)() if name in MODULES else named(name)

    with pytest.warns(UserWarning, match="Implicit dimension choice"):
        chosen = function(torch.rand(2, 3))
    with pytest.warns(UserWarning, match="Implicit dimension choice"):
        assert function(torch.rand(2, 3, 2)).shape == (2, 3, 2)
    assert function(chosen.reshape(2, 3), 1).shape == (2, 3) if name in FUNCTIONS else named(name)(1)


@pytest.mark.parametrize("name", sorted(REDUCING))
def test_what_reduces_returns_one_number(name: str) -> None:
    assert named(name)(torch.ones(2, 3)).dim() == 0
