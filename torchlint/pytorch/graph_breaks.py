"""What Dynamo, the tracer of `torch.compile`, cannot take into a graph: it breaks the graph there.

Measured on torch 2.13.0 with `backend="eager"`, where the tests run every row. The code before and after a break is
compiled as two graphs, and what breaks is run by Python. With `fullgraph=True` and in `torch.export` there is but one
graph, and most of it raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from torchlint.pytorch.layers import SWITCHES, WEIGHTED
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import NN
from torchlint.pytorch.untraced import Untraced, each

MEASURED_ON = "2.13"
"""The version of PyTorch that these rows hold for."""


METHODS: Mapping[str, Untraced] = {
    **each(Untraced.NUMBER, "", "item tolist"),
    **each(Untraced.SHAPE, "", "argwhere bincount masked_select nonzero unique unique_consecutive"),
    **each(Untraced.VALUE, "", "allclose corrcoef cov equal is_nonzero"),
    **each(Untraced.GRADIENT, "", "backward"),
    **each(
        Untraced.CALL,
        "",
        "__deepcopy__ apply_ is_inference is_pinned is_shared map_ random_ resize_ retain_grad share_memory_ storage"
        " storage_offset to_sparse to_sparse_csr",
    ),
}
"""Methods of tensors."""
OF_TENSORS: Mapping[str, Untraced] = {
    **each(Untraced.NUMBER, "builtins.", "bool float int"),
    **each(Untraced.VALUE, "builtins.", "all any complex divmod pow range round sorted"),
    **each(Untraced.VALUE, "torch.", "_assert"),
    **each(
        Untraced.VALUE,
        "math.",
        "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees erf erfc exp exp2 expm1 fabs floor"
        " fmod frexp gamma hypot isclose isfinite isinf isnan lgamma log log10 log1p log2 modf pow sin sinh sqrt tan"
        " tanh",
    ),
    **each(Untraced.TEXT, "builtins.", "ascii repr str"),
    **each(Untraced.CALL, "copy.", "copy deepcopy"),
}
"""Functions of Python that break the graph if they are given a tensor."""
OF_MODULES: Mapping[str, Untraced] = each(Untraced.CALL, "copy.", "copy deepcopy")
"""Those that break it if they are given a module."""
METHODS_OF_MODULES = frozenset(
    "bfloat16 double half load_state_dict register_forward_hook register_forward_pre_hook register_full_backward_hook"
    " requires_grad_ share_memory".split()
)
"""Methods of modules that break it."""
SIZED_FUNCTIONS: Mapping[str, int | None] = {
    **{f"torch.{name}": None for name in "arange empty eye ones rand randn randperm zeros".split()},
    "torch.full": 1,
}
"""Functions that break it if they are given a tensor for a size, and how many of the first arguments say one."""
SIZED_METHODS: Mapping[str, Untraced] = {
    **each(Untraced.NUMBER, "", "expand narrow new_empty new_full new_ones new_zeros repeat reshape tile topk view"),
    **each(Untraced.READ, "", "chunk kthvalue roll select split unflatten unfold"),
}
"""Methods of tensors that break it if they are given a tensor for a size or a position."""
SIZED_OTHERS: Mapping[str, Untraced] = {
    **each(Untraced.NUMBER, "torch.", "narrow reshape tile topk"),
    **each(Untraced.READ, "torch.", "chunk nn.functional.pad randint roll select split"),
}
"""Functions that do if one of the arguments but the first is a tensor."""
REPEATING = "repeat_interleave"
"""The method, or function of `torch`, whose size depends on data if it is given a tensor for the repeats."""
KNOWN_SIZE = "output_size"
"""The argument that says how many items there are then."""
GENERATOR_ARGUMENT = "generator"
"""The argument of functions and methods of tensors that breaks it, if it is passed: it is nothing for a graph."""
MAKERS_OF_LEAVES = frozenset(
    f"torch.{name}"
    for name in (
        "arange asarray empty empty_like eye full full_like linspace logspace normal ones ones_like rand"
        " rand_like randn randn_like tensor zeros zeros_like"
    ).split()
)
"""Functions that break it if they make a leaf that requires gradients."""
LEAF_ARGUMENT = "requires_grad"
"""The argument with which they do."""
NUMPY_NUMBERS = frozenset(f"numpy.{name}" for name in "argmax argmin max mean min prod std sum".split())
"""Functions of NumPy that are traced as functions of tensors even if they are given a list of numbers.

Those of one number, like `numpy.sqrt`, are computed while it is traced.
"""
NUMBERS_OF_NUMPY = frozenset({"builtins.float", "builtins.int"})
"""Functions of Python that break it if they are given the result of one of these."""
CALLING = frozenset({"builtins.filter", "builtins.map", "functools.reduce", "torch.utils.checkpoint.checkpoint"})
"""Functions that are traced, and call the first argument."""
CALLING_MODULES = frozenset({"tensordict.nn.TensorDictModule"})
"""Modules that are traced, and call the function or module that they are made with.

https://github.com/pytorch/tensordict/blob/main/tensordict/nn/common.py
"""
OF_PYTHON = {"builtins.iter": "__iter__", "builtins.len": "__len__"}
"""Functions of Python that call a method of the first argument."""
ANY_OWNER = frozenset({"item", "tolist"})
"""Those that break it on whatever has them: what NumPy has is traced as a tensor."""
WITHOUT_ARGUMENTS = frozenset({"backward"})
"""Those that do where they are given none, as only tensors have a method of that name that needs none."""
NUMPY_GRIDS = frozenset(f"numpy.{name}" for name in "c_ index_exp mgrid ogrid r_ s_".split())
"""What makes an array, or a slice, of what it is indexed with."""
LOGGER = "logging.Logger"
LOGGER_MAKERS = {"logging.getLogger": LOGGER}
"""What returns a logger."""
LOGGER_METHODS = frozenset("critical debug error exception info isEnabledFor log setLevel warning".split())
"""Methods that break it at any level."""


class Default(NamedTuple):
    """What a function needs data for, if an argument is left out."""

    untraced: Untraced
    keyword: str
    position: int


# An array of a given size is traced, a number is not.
_SIZES = {"choice": 1, "normal": 2, "rand": 0, "randint": 2, "randn": 0, "uniform": 2}
DEFAULTS: Mapping[str, Default] = {
    "torch.nn.functional.one_hot": Default(Untraced.VALUE, "num_classes", 1),
    "torch.where": Default(Untraced.SHAPE, "input", 1),
    "numpy.where": Default(Untraced.SHAPE, "x", 1),
    # Without scales and shifts a layer makes no parameters.
    **{
        f"{NN}{name}": Default(Untraced.PARAMETER, switch.name, switch.position)
        for name, (switch, *_) in SWITCHES.items()
        if switch.default
    },
    **{f"numpy.random.{name}": Default(Untraced.CALL, "size", position) for name, position in _SIZES.items()},
}
MADE_LAYERS = frozenset(f"{NN}{name}" for name in WEIGHTED if not name.startswith("Lazy"))
"""Layers that break it where they are made: they make parameters."""
UNTRACED_LAYERS = frozenset({"torch.nn.CTCLoss"})
"""Layers that break it where they are called."""
RECURRENT_LAYERS = frozenset({"torch.nn.GRU", "torch.nn.LSTM", "torch.nn.RNN"})
"""Layers that are not traced; their cells are."""
_OF_SCHEDULERS = {
    **each(Untraced.UPDATE, "", "step"),
    **each(Untraced.CALL, "", "get_last_lr get_lr state_dict"),
}
METHODS_OF_ROLES: Mapping[Role, Mapping[str, Untraced]] = {
    Role.OPTIMIZER: {
        **each(Untraced.UPDATE, "", "step zero_grad"),
        **each(Untraced.CALL, "", "load_state_dict state_dict"),
    },
    Role.SCHEDULER: _OF_SCHEDULERS,
    Role.METRIC_SCHEDULER: _OF_SCHEDULERS,
    Role.SCALER: {
        **each(Untraced.UPDATE, "", "step"),
        **each(Untraced.CALL, "", "get_scale is_enabled scale unscale_ update"),
    },
}
"""Methods that break it by what the object is for."""
UNTRACED_DERIVATIVES = frozenset({"jvp", "vjp"})
"""Methods of a `torch.autograd.Function` with which `apply` breaks it."""
ACCEPTED = frozenset({Untraced.GRADIENT, Untraced.UPDATE, Untraced.RECURRENT})
"""What programs compile with its breaks: https://docs.pytorch.org/tutorials/recipes/compiling_optimizer.html.

A recurrent layer has a kernel of its own, which `allow_rnn` would replace by one operation for each step in time.
"""
ASSIGNED_ATTRIBUTES = frozenset({"data", "requires_grad"})
"""Attributes of tensors that break it where they are assigned; `data` only of a tensor that is made in the graph."""
DISABLING = frozenset({"torch.compiler.disable", "torch._dynamo.disable"})
"""Decorators that keep a function out of the graph: a call of it is a break, which is asked for."""
OPAQUE = frozenset(
    {
        *DISABLING,
        "torch.compiler.allow_in_graph",
        "torch._dynamo.allow_in_graph",
        "torch.compiler.assume_constant_result",
        "torch.library.custom_op",
        "torch.library.triton_op",
        "triton.jit",
    }
)
"""Decorators of functions that Dynamo does not look into."""
TRACED_OTHERWISE = frozenset(
    {
        "torch.compiler.is_compiling",
        "torch.compiler.is_dynamo_compiling",
        "torch.compiler.is_exporting",
        "torch._dynamo.is_compiling",
        "torch._dynamo.external_utils.is_compiling",
        "torch.jit.is_scripting",
        "torch.jit.is_tracing",
        "torch.onnx.is_in_onnx_export",
    }
)
"""Functions by whose answer code keeps something from the tracer, or from Python."""
