"""What computes its gradient from its result, and what from either. Checked on torch 2.13."""

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
_OF_ONE = (
    "abs acos asin atan clamp cos cosh cumprod erf log log10 log1p log2 norm pow prod sin sinh square std var"
    " bmm dot div matmul mm mul mv"
)
FREED = SAVING | frozenset(
    f"{space}.{name}"
    for space, names in {
        "torch": _OF_ONE,
        "torch.Tensor": _OF_ONE,
        "torch.nn.functional": "cosine_similarity cross_entropy elu gelu l1_loss leaky_relu linear mse_loss normalize"
        " silu smooth_l1_loss softplus",
    }.items()
    for name in names.split()
)
"""What saves a result or an argument for its gradient: a second `backward()` through it raises."""
_OF_TENSORS = "torch.Tensor."
FREED_METHODS = frozenset(name.removeprefix(_OF_TENSORS) for name in FREED if name.startswith(_OF_TENSORS))
"""The methods of tensors among them."""
