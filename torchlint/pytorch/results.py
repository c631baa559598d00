"""What functions of PyTorch and methods of tensors return, by their names. Checked on torch 2.13."""

from __future__ import annotations

import re

from torchlint.pytorch.companions import COMPANIONS

QUESTIONS = frozenset(
    f"torch.{name}"
    for name in (
        "cuda.is_available cuda.is_bf16_supported distributed.is_available distributed.is_initialized"
        " backends.mps.is_available accelerator.is_available xpu.is_available is_grad_enabled"
        " distributed.is_torchelastic_launched"
    ).split()
)
"""Functions without arguments that return a truth."""
DTYPES_OF = frozenset({"torch.get_default_dtype", "torch.promote_types", "torch.result_type"})
"""Functions that return a dtype."""
NUMBERS = (
    QUESTIONS
    | frozenset(
        f"torch.{name}"
        for name in (
            "allclose can_cast equal get_num_threads initial_seed is_complex is_floating_point is_grad_enabled"
            " is_nonzero is_storage is_tensor numel seed typename finfo iinfo"
            " cuda.device_count cuda.is_available cuda.is_bf16_supported cuda.current_device cuda.memory_allocated"
            " cuda.max_memory_allocated cuda.memory_reserved cuda.max_memory_reserved cuda.get_device_capability"
            " distributed.get_rank distributed.get_world_size distributed.is_available distributed.is_initialized"
            " backends.mps.is_available xpu.is_available mps.is_available accelerator.is_available"
            " accelerator.device_count nn.init.calculate_gain broadcast_shapes"
        ).split()
    )
    | DTYPES_OF
)
"""Functions that return a Python number, a truth, a text, a size or a plain object, and never a tensor."""

# Namespaces whose functions return tensors; those of the others (`torch.futures.wait_all`) may return anything.
TENSOR_SPACES = frozenset(
    "Tensor _C distributions fft functional linalg masked nested nn ops signal sparse special".split()
)
TENSOR_NN = ("torch.nn.functional.", "torch.nn.init.", "torch.nn.utils.rnn.", "torch.nn.utils.parameters_to_vector")
"""Those of `torch.nn` in which functions return tensors; its classes make modules."""
NOTHING = frozenset(
    f"torch.{name}"
    for name in (
        "save load manual_seed no_grad enable_grad inference_mode autocast compile device dtype Generator"
    ).split()
)
"""What returns no tensor, or its argument of any type."""

TENSOR_NUMBERS = frozenset(
    "item size dim numel nelement ndimension stride data_ptr element_size is_contiguous is_floating_point is_complex"
    " storage_offset get_device is_pinned is_shared is_set_to equal allclose is_coalesced is_conj is_inference is_neg"
    " is_same_size is_signed dense_dim sparse_dim".split()
)
"""Methods of tensors that return a Python number, a truth or a tuple of numbers."""
NUMBERS_OF_OTHERS = frozenset(name for companion in COMPANIONS for name in companion.numbers)
"""Functions of other libraries that return a number: `sklearn.metrics.accuracy_score`."""
COUNTS = frozenset(
    f"torch.{name}"
    for name in (
        "numel get_num_threads cuda.device_count cuda.memory_allocated cuda.max_memory_allocated cuda.memory_reserved"
        " cuda.max_memory_reserved accelerator.device_count"
    ).split()
)
"""Those of `NUMBERS` that count something: never below 0."""
TENSOR_COUNTS = frozenset("size dim numel nelement ndimension element_size dense_dim sparse_dim".split())
"""Those of `TENSOR_NUMBERS` that count something; `get_device` does not, it is -1 on the CPU."""
TENSOR_HOOKS = frozenset({"register_hook", "register_post_accumulate_grad_hook"})
"""Methods of tensors that return a handle, which keeps no tensor: `torch.utils.hooks.RemovableHandle`."""
WITHOUT_CUDA = frozenset({"histogram", "histogramdd"})
"""Functions and methods that raise for a tensor on a CUDA device: `native_functions.yaml` of PyTorch 2.13."""
NON_DIFFERENTIABLE = frozenset(
    "detach detach_ all any argmax argmin argsort argwhere bincount bool bucketize byte char count_nonzero empty_like"
    " eq equal full_like ge greater greater_equal gt histc int isclose isfinite isin isinf isnan isneginf isposinf"
    " isreal le less less_equal logical_and logical_not logical_or logical_xor long lt multinomial ne new_empty"
    " new_full new_ones new_tensor new_zeros nonzero not_equal one_hot ones_like rand_like randint_like randn_like"
    " searchsorted short signbit zeros_like".split()
)
"""Functions and methods whose result has no graph, whatever their arguments.

`round`, `floor`, `ceil`, `sign` and `bernoulli` are none of them: their gradient is zero, and their result has a graph.
"""
TENSOR_ONLY = frozenset(
    "detach detach_ unsqueeze unsqueeze_ permute contiguous softmax log_softmax sigmoid masked_fill masked_fill_"
    " masked_select scatter scatter_ scatter_add scatter_add_ gather topk type_as new_zeros new_ones new_full new_empty"
    " new_tensor expand expand_as bmm mm addmm index_select logsumexp relu clamp_ clamp_min add_ mul_"
    " div_ sub_ zero_ fill_ copy_ normal_ uniform_ chunk bool long square square_ rsqrt".split()
)
"""Methods that tensors have and neither ndarrays nor modules nor containers do."""
ABOUT_TORCH = re.compile(r"torch\.(_C\._)?(get|set|is|are|use|sym|init|import|parse|clear|autocast)_\w+")
"""Queries and settings of PyTorch, which return no tensor: `torch.get_device_module("cuda")`."""
NOT_OF_NUMBERS = frozenset("backward clone cpu cuda detach mean numpy sum to tolist".split())
"""Methods of tensors that Python's numbers have not."""
