"""What returns a new tensor or a view although its name may suggest an effect on its tensor. Checked on torch 2.13.

Reductions and products (`argmax`, `matmul`) are not here: without their result, they are run to measure their time, or
to see whether they can be run.
"""

from __future__ import annotations

PURE = frozenset(
    "abs absolute acos add addcdiv addcmul addmm asin atan atan2 baddbmm bitwise_and bitwise_not bitwise_or"
    " bitwise_xor broadcast_to ceil clamp clamp_max clamp_min clip clone contiguous cos cosh cummax cummin"
    " cumprod cumsum diag diagonal div divide erf exp expm1 flatten flip fliplr flipud floor floor_divide fmod"
    " frac hardshrink index_add index_copy index_fill index_put index_select lerp log log10 log1p log2"
    " log_softmax logical_and logical_not logical_or logical_xor logit masked_fill masked_scatter moveaxis"
    " movedim mul multiply nan_to_num narrow neg negative permute pow reciprocal relu remainder renorm repeat"
    " repeat_interleave reshape roll round rsqrt scatter scatter_add scatter_reduce sigmoid sign sin sinh"
    " softmax sort sqrt square squeeze sub subtract swapaxes swapdims t tan tanh tile transpose tril triu"
    " true_divide trunc type_as unfold unsqueeze view where".split()
)
"""Methods of tensors; `torch` has most of them as functions, too."""
CHANGING_TWINS = frozenset(
    "abs absolute acos add addcdiv addcmul addmm asin atan atan2 baddbmm bitwise_and bitwise_not bitwise_or"
    " bitwise_xor ceil clamp clamp_max clamp_min clip cos cosh cumprod cumsum div divide erf exp expm1 floor"
    " floor_divide fmod frac index_add index_copy index_fill index_put lerp log log10 log1p log2 logical_and"
    " logical_not logical_or logical_xor logit masked_fill masked_scatter mul multiply nan_to_num neg negative"
    " pow reciprocal relu remainder renorm round rsqrt scatter scatter_add scatter_reduce sigmoid sign sin sinh"
    " sqrt square squeeze sub subtract swapaxes swapdims t tan tanh transpose tril triu true_divide trunc"
    " unsqueeze".split()
)
"""Those with a counterpart in place, by another name: `clamp_`."""
PURE_FUNCTIONS = frozenset(
    f"torch.nn.functional.{name}"
    for name in (
        "celu dropout elu gelu glu group_norm hardsigmoid hardswish hardtanh interpolate layer_norm leaky_relu"
        " log_softmax logsigmoid mish normalize one_hot pad relu relu6 selu sigmoid silu softmax softmin softplus"
        " softsign tanh"
    ).split()
)
"""Functions that are no methods; with `inplace=True` some of them change their argument."""
INPLACE_POSITION = {
    f"torch.nn.functional.{name}": position
    for name, position in {
        "celu": 2, "dropout": 3, "elu": 2, "hardsigmoid": 1, "hardswish": 1, "hardtanh": 3, "leaky_relu": 2, "mish": 1,
        "relu": 1, "relu6": 1, "selu": 1, "silu": 1,
    }.items()
}  # fmt: skip
"""The position of `inplace` in those that have it."""
