"""What is made in inference mode, and what autograd refuses of it. Checked on torch 2.13.

https://docs.pytorch.org/docs/stable/notes/autograd.html#inference-mode
"""

from __future__ import annotations

from torchlint.pytorch import views
from torchlint.pytorch.factories import COMPUTING_FACTORIES
from torchlint.pytorch.layers import KEEPS_PAIR, WEIGHTED
from torchlint.pytorch.pure import CHANGING_TWINS
from torchlint.pytorch.symbols import FUNCTIONAL, NN

_TUPLES = KEEPS_PAIR | frozenset({"RNN", "GRU", "MultiheadAttention"})
COMPUTING_LAYERS = frozenset(f"{NN}{name}" for name in WEIGHTED - _TUPLES)
"""Layers that compute a new tensor whatever they are given: in inference mode it is an inference tensor."""
COMPUTING_METHODS = (CHANGING_TWINS - {"squeeze", "t", "transpose", "unsqueeze"}) | frozenset(
    "amax amin argmax clone log_softmax matmul mean mm softmax std sum var".split()
)
"""Methods of tensors that do."""
COMPUTING_FUNCTIONS = (
    COMPUTING_FACTORIES
    | frozenset(f"torch.{name}" for name in COMPUTING_METHODS)
    | frozenset(f"torch.{name}" for name in "bmm cat einsum rand randint randn randperm stack".split())
    | frozenset(f"{FUNCTIONAL}{name}" for name in "log_softmax normalize one_hot sigmoid softmax tanh".split())
)
"""Functions that do."""
SAME = views.ONE_VIEW | {"data"}
"""Methods and attributes whose result is an inference tensor where the tensor is one, in any mode."""
KEPT_INSIDE = views.SAME_NUMBERS
"""Methods whose result is one in inference mode where the tensor is one: it is the same tensor, or a new one."""

SAVING_LAYERS = frozenset(f"{NN}{name}" for name in WEIGHTED if "Lazy" not in name and "Transformer" not in name)
"""Layers that save their input for the gradient of their weights."""
_LOSSES = {
    "BCELoss": "binary_cross_entropy", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "CrossEntropyLoss": "cross_entropy", "HuberLoss": "huber_loss", "KLDivLoss": "kl_div", "MSELoss": "mse_loss",
    "NLLLoss": "nll_loss", "SmoothL1Loss": "smooth_l1_loss", "SoftMarginLoss": "soft_margin_loss",
}  # fmt: skip
SAVING_LOSSES = {f"{NN}{kind}": f"{FUNCTIONAL}{function}" for kind, function in _LOSSES.items()}
"""Losses that save the target, the second argument, for the gradient of the first: classes, and their functions."""
