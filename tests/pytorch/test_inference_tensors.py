"""What is made in inference mode, and what autograd refuses of it."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch import inference_tensors as rows
from torchlint.pytorch.symbols import FUNCTIONAL, NN

torch = pytest.importorskip("torch", reason="the rows are about PyTorch")
LAYERS = {
    "Linear": ((4, 4), (2, 4)), "Bilinear": ((4, 4, 4), (2, 4)), "Embedding": ((4, 4), None),
    "EmbeddingBag": ((4, 4), None), "MultiheadAttention": ((4, 1), (2, 4)), "RNN": ((4, 4), (2, 4)),
    **{f"Conv{n}d": ((4, 4, 1), (2, 4, *[3] * n)) for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": ((4, 4, 1), (2, 4, *[3] * n)) for n in (1, 2, 3)},
    **dict.fromkeys(("LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"), ((4, 4), (2, 4))),
}  # fmt: skip
REFUSED = "Inference tensors cannot be saved for backward"


def inference_tensor(shape: tuple[int, ...] | None) -> Any:
    with torch.inference_mode():
        return torch.zeros(2, 3, dtype=torch.long) if shape is None else torch.rand(shape)


@pytest.mark.parametrize("name", sorted(rows.SAVING_LAYERS))
def test_a_layer_saves_its_input(name: str) -> None:
    arguments, shape = LAYERS[name.removeprefix(NN)]
    layer, given = getattr(torch.nn, name.removeprefix(NN))(*arguments), inference_tensor(shape)
    inputs = (given,) * {"Bilinear": 2, "MultiheadAttention": 3}.get(name.removeprefix(NN), 1)

    with pytest.raises(RuntimeError, match=REFUSED):
        layer(*inputs)
    layer.requires_grad_(False)(*inputs)


@pytest.mark.parametrize(("kind", "function"), sorted(rows.SAVING_LOSSES.items()))
def test_a_loss_saves_its_target(kind: str, function: str) -> None:
    scores = torch.rand(2, 3, requires_grad=True)
    with torch.inference_mode():
        target = torch.rand(2, 3) if "NLL" not in kind else torch.zeros(2, dtype=torch.long)

    for loss in (getattr(torch.nn, kind.removeprefix(NN))(), getattr(torch.nn.functional, function.split(".")[-1])):
        with pytest.raises(RuntimeError, match=REFUSED):
            loss(scores.sigmoid(), target)


@pytest.mark.parametrize("name", sorted(rows.SAME))
def test_a_view_is_what_its_tensor_is(name: str) -> None:
    arguments = {
        "as_strided": ((2, 3), (3, 1)), "expand": (4, 2, 3), "expand_as": (torch.ones(4, 2, 3),), "movedim": (0, 1),
        "moveaxis": (0, 1), "narrow": (0, 0, 1), "permute": (1, 0), "select": (0, 0), "swapaxes": (0, 1),
        "swapdims": (0, 1), "transpose": (0, 1), "unflatten": (1, (3, 1)), "unfold": (1, 2, 1), "unsqueeze": (0,),
        "view": (-1,), "view_as": (torch.ones(3, 2),),
    }.get(name, ())  # fmt: skip
    for tensor in (inference_tensor((2, 3)), torch.rand(2, 3)):
        view = getattr(tensor, name)
        view = view(*arguments) if callable(view) else view
        with torch.inference_mode():
            inside = getattr(tensor, name)
            inside = inside(*arguments) if callable(inside) and name != "data" else inside
        assert view.is_inference() is inside.is_inference() is tensor.is_inference()


@pytest.mark.parametrize("name", sorted(rows.COMPUTING_METHODS | rows.COMPUTING_FUNCTIONS))
def test_what_computes_is_there(name: str) -> None:
    owner: Any = torch if name.startswith("torch.") else torch.Tensor
    for part in name.removeprefix("torch.").split("."):
        owner = getattr(owner, part)
    assert callable(owner)


@pytest.mark.parametrize("name", "abs add clamp clone matmul mean mul relu round sigmoid softmax sqrt sum".split())
def test_what_is_computed_in_inference_mode_is_an_inference_tensor(name: str) -> None:
    assert name in rows.COMPUTING_METHODS
    tensor = torch.rand(3, 3)
    given = {"add": (1,), "clamp": (0,), "matmul": (tensor,), "mul": (1,), "softmax": (0,)}.get(name, ())

    with torch.inference_mode():
        result = getattr(tensor, name)(*given)

    assert result.is_inference()
    assert not getattr(inference_tensor((3, 3)), name)(*given).is_inference()


@pytest.mark.parametrize("name", "empty ones rand randn zeros".split())
def test_what_makes_a_tensor_of_nothing_makes_an_inference_tensor(name: str) -> None:
    assert f"torch.{name}" in rows.COMPUTING_FUNCTIONS
    with torch.inference_mode():
        assert getattr(torch, name)(2).is_inference()


def test_an_inference_tensor_is_neither_changed_nor_given_gradients() -> None:
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        inference_tensor((2, 3)).add_(1)
    for ask in (torch.Tensor.requires_grad_, torch.nn.Parameter):
        with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
            ask(inference_tensor((2, 3)))


def test_the_functions_are_those_of_the_losses() -> None:
    assert all(function.startswith(FUNCTIONAL) for function in rows.SAVING_LOSSES.values())
