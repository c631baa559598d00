"""What losses expect as their input, and what makes something else. Checked on torch 2.13."""

from __future__ import annotations

from typing import NamedTuple

from torchlint.pytorch.symbols import FUNCTIONAL, NN

_SOFTMAX = frozenset(
    "torch.softmax torch.special.softmax torch.nn.functional.softmax torch.Tensor.softmax torch.nn.Softmax"
    " torch.nn.Softmax2d".split()
)
_SIGMOID = frozenset(
    "torch.sigmoid torch.special.expit torch.nn.functional.sigmoid torch.Tensor.sigmoid torch.Tensor.sigmoid_"
    " torch.nn.Sigmoid".split()
)
# What is never below 0, and what may be anything, is no logarithm of a probability.
_UNBOUNDED = frozenset(
    "torch.nn.Linear torch.nn.Conv1d torch.nn.Conv2d torch.nn.Conv3d torch.nn.ReLU torch.relu torch.Tensor.relu"
    " torch.nn.functional.relu".split()
)
_TANH = frozenset({"torch.tanh", "torch.Tensor.tanh", "torch.nn.functional.tanh", "torch.nn.Tanh"})


class LossInput(NamedTuple):
    """A loss, as a class and as functions, and what makes an input that it does not expect."""

    loss: str
    functions: frozenset[str]
    mismatched: frozenset[str]


LOSS_INPUTS = {
    # They apply the activation themselves.
    "softmax": LossInput(f"{NN}CrossEntropyLoss", frozenset({f"{FUNCTIONAL}cross_entropy"}), _SOFTMAX),
    "sigmoid": LossInput(
        f"{NN}BCEWithLogitsLoss",
        frozenset({f"{FUNCTIONAL}binary_cross_entropy_with_logits", "torch.binary_cross_entropy_with_logits"}),
        _SIGMOID,
    ),
    # They expect logarithms of probabilities.
    "no log": LossInput(f"{NN}NLLLoss", frozenset({f"{FUNCTIONAL}nll_loss"}), _SOFTMAX | _SIGMOID | _UNBOUNDED),
    "no log in kl": LossInput(f"{NN}KLDivLoss", frozenset({f"{FUNCTIONAL}kl_div"}), _SOFTMAX | _SIGMOID | _UNBOUNDED),
    # It expects probabilities, and raises for what is below 0 or above 1.
    "no sigmoid": LossInput(f"{NN}BCELoss", frozenset({f"{FUNCTIONAL}binary_cross_entropy"}), _UNBOUNDED | _TANH),
}
"""By the mistake."""
