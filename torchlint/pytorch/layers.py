"""Which layers of `torch.nn` have tensors of their own, by their last names. Checked on torch 2.13."""

from __future__ import annotations

from typing import NamedTuple

from torchlint.pytorch.symbols import NN

WEIGHTED = frozenset(
    (
        "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding EmbeddingBag"
        " RNN LSTM GRU RNNCell LSTMCell GRUCell MultiheadAttention Transformer TransformerEncoder TransformerDecoder"
        " TransformerEncoderLayer TransformerDecoderLayer LazyLinear LazyConv1d LazyConv2d LazyConv3d"
    ).split()
)
"""They have weights with a random initial value, whatever their arguments."""


class Switch(NamedTuple):
    """An argument that gives a layer tensors of its own."""

    name: str
    position: int
    default: bool


_AFFINE = Switch("affine", 3, True)
_STATISTICS = Switch("track_running_stats", 4, True)
_OF_INSTANCES = (Switch("affine", 3, False), Switch("track_running_stats", 4, False))
_ELEMENTWISE = (Switch("elementwise_affine", 2, True),)

SWITCHES = {
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"), (_AFFINE, _STATISTICS)),
    **dict.fromkeys(("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"), _OF_INSTANCES),
    "GroupNorm": (_AFFINE,),
    "LayerNorm": _ELEMENTWISE,
    "RMSNorm": _ELEMENTWISE,
}
"""Layers that have scales and shifts, or running statistics, if one of these arguments says so."""

OWN_TENSORS = frozenset({"weight", "bias"})
"""Attributes that are tensors of a layer, or None if it has no such tensor."""

WITH_WEIGHT = (WEIGHTED | SWITCHES.keys()) - frozenset(
    (
        "RNN LSTM GRU RNNCell LSTMCell GRUCell MultiheadAttention Transformer TransformerEncoder TransformerDecoder"
        " TransformerEncoderLayer TransformerDecoderLayer"
    ).split()
)
"""Layers of which they are: of the others, `bias` is an argument, if anything."""

SIZES = frozenset(
    "embedding_dim hidden_size in_channels in_features input_size kernel_size num_embeddings num_features num_layers"
    " out_channels out_features padding stride".split()
)
"""Attributes of layers that are numbers."""

KEEPS_PAIR = frozenset({"LSTM", "LSTMCell"})
"""Layers whose state is a tuple of two tensors."""

TRACKING = frozenset(f"{NN}{name}" for name, switches in SWITCHES.items() if _STATISTICS in switches)
"""Layers that update running statistics with every batch in training mode, unless they are made to keep none."""

DROPOUTS = frozenset("Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout".split())
"""Layers that drop some of their input in training mode, with a probability `p`, which is their first argument."""
NORMS = frozenset(name for name, switches in SWITCHES.items() if _STATISTICS in switches)
"""Those that normalize by the batch in training mode, and by running statistics else."""
SCALING = frozenset(name for name, switches in SWITCHES.items() if len(switches) == 1)
"""Those whose weights are ones at first: nothing about them is random, and they have no mode."""
LAST_DROPOUT = {f"{NN}LSTM": 5, f"{NN}GRU": 5, f"{NN}RNN": 6}
"""By class, the position of `dropout`, which has no effect on the last layer; that of `num_layers` is 2 for all."""
GRADIENT_BY_WEIGHT = frozenset(
    f"{NN}{name}" for name in "Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d".split()
)
"""Layers whose weight is needed for the gradient of their input: `backward()` raises once it has changed in place."""
SAME_ELEMENTS = frozenset(f"{NN}{name}" for name in ("Flatten", "Identity", "Unflatten"))
"""Layers that return the elements of their input as they are."""

_BARE = (
    "Loss", "ReLU", "Pool", "Dropout", "Flatten", "Identity", "oftmax", "igmoid", "Tanh", "ELU", "Pad", "Upsample",
    "Shuffle", "Fold", "Hardswish", "SiLU", "Mish", "Softplus", "Unflatten", "CosineSimilarity", "PairwiseDistance",
    "LocalResponseNorm", "Rearrange", "Reduce",
)  # fmt: skip
_NAMED_SO = frozenset({"AdaptiveLogSoftmaxWithLoss", "LinearCrossEntropyLoss", "PReLU"})
"""Their names look like those of layers without."""


def is_bare(name: str) -> bool:
    """Tell whether a layer, by its full name, has no tensors of its own: losses and activations, in all packages."""
    last = name.rpartition(".")[2]
    return last not in _NAMED_SO and any(word in last for word in _BARE)


AROUND_OTHERS = frozenset({"Sequential", "TransformerEncoder", "TransformerDecoder"})
"""Layers that are made of others, which are their arguments."""
