"""What computes its gradient from its result. Checked on torch 2.13."""

from __future__ import annotations

_NAMES = "exp exp2 expm1 log_softmax logsumexp reciprocal relu rsqrt sigmoid softmax sqrt tan tanh"
SAVING = frozenset(
    f"{space}.{name}"
    for space, names in {
        "torch": _NAMES,
        "torch.Tensor": _NAMES,
        "torch.nn.functional": "log_softmax relu sigmoid softmax softmin tanh",
        "torch.special": "exp2 expit expm1 log_softmax logsumexp softmax",
        "torch.nn": "LogSoftmax ReLU Sigmoid Softmax Softmax2d Softmin Tanh",
    }.items()
    for name in names.split()
)
"""`backward()` raises once the result of one has changed in place; most others compute it from their arguments."""
