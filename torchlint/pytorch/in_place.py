"""Methods of tensors that work in place. Checked on torch 2.13."""

from __future__ import annotations

CHANGING = frozenset(
    f"{name}_"
    for name in (
        "abs add addcdiv addcmul addmm bernoulli ceil clamp clamp_max clamp_min clip copy cos div divide exp"
        " exponential fill fill_diagonal floor fmod index_add index_copy index_fill index_put lerp log mul multiply"
        " masked_fill masked_scatter nan_to_num neg normal pow random reciprocal relu remainder renorm round rsqrt"
        " scatter scatter_add sigmoid sign sin sqrt square squeeze sub subtract t tanh transpose tril triu true_divide"
        " trunc uniform unsqueeze zero"
    ).split()
)
"""Methods that change data, each of which PyTorch rejects on a leaf that requires gradients."""
SAME_NUMBERS = frozenset({"requires_grad_", "squeeze_", "unsqueeze_", "detach_", "t_", "transpose_", "share_memory_"})
"""Methods that end in `_` and do not change the numbers."""
ADDING = ("add", "sub", "lerp")
"""Methods that add a multiple of their first argument; those in place end in `_`."""
SCALING = ("mul", "div")
"""Methods that multiply a tensor."""
CLAMPING = frozenset({"clamp", "clip", "clamp_min", "clamp_max"})
"""Methods with bounds, which have to be on the tensor's device, even scalars; those in place end in `_`."""
