"""What Dynamo, the tracer of `torch.compile`, cannot take into a graph: it breaks the graph there.

Measured on torch 2.13.0 with `backend="eager"`, where the tests run every row. The code before and after a break is
compiled as two graphs, and what breaks is run by Python. With `fullgraph=True` and in `torch.export` there is but one
graph, and most of it raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

MEASURED_ON = "2.13"
"""The version of PyTorch that these rows hold for."""


class Untraced(Enum):
    """Why Dynamo cannot trace something."""

    NUMBER = "reads a Python number from a tensor"
    SHAPE = "returns a tensor whose size depends on data"
    BRANCH = "tests the value of a tensor"
    VALUE = "needs the value of a tensor"
    TEXT = "makes a text of a tensor"
    OUTPUT = "writes an output"
    CALL = "is a call that Dynamo does not trace"
    GRADIENT = "computes gradients"
    UPDATE = "updates parameters"
    PARAMETER = "makes a parameter"
    RECURRENT = "is a recurrent layer"
    ATTRIBUTE = "sets an attribute of a tensor"
    DISABLED = "is disabled for the compiler"


class Tracing(Enum):
    """How code is traced into one graph."""

    WHOLE = "fullgraph=True"
    EXPORTED = "torch.export"
    STRICT = "torch.export with strict=True"


_ALL = frozenset(Tracing)
_BY_DYNAMO = frozenset({Tracing.WHOLE, Tracing.STRICT})
RAISES: Mapping[Untraced, frozenset[Tracing]] = {
    # Both become symbols of the graph, which nothing may test.
    Untraced.NUMBER: frozenset(),
    Untraced.SHAPE: frozenset(),
    Untraced.BRANCH: _ALL,
    Untraced.VALUE: _ALL,
    Untraced.TEXT: _BY_DYNAMO,
    # Export puts `print` and warnings off to the end of the graph.
    Untraced.OUTPUT: frozenset({Tracing.WHOLE}),
    Untraced.CALL: _BY_DYNAMO,
    Untraced.GRADIENT: _BY_DYNAMO,
    Untraced.UPDATE: _BY_DYNAMO,
    Untraced.PARAMETER: _BY_DYNAMO,
    Untraced.RECURRENT: _BY_DYNAMO,
    Untraced.ATTRIBUTE: _BY_DYNAMO,
    Untraced.DISABLED: _BY_DYNAMO,
}
"""With which kind of one graph it raises."""
OPTIONS: Mapping[Untraced, tuple[str, ...]] = {
    Untraced.NUMBER: ("capture_scalar_outputs",),
    Untraced.SHAPE: ("capture_dynamic_output_shape_ops",),
    Untraced.OUTPUT: ("reorderable_logging_functions", "ignore_logging_functions", "ignore_logger_methods"),
    Untraced.GRADIENT: ("trace_autograd_ops",),
    Untraced.RECURRENT: ("allow_rnn",),
}
"""The options of `torch._dynamo.config` with which it is traced, or ignored."""


def _each(untraced: Untraced, space: str, names: str) -> dict[str, Untraced]:
    return {f"{space}{name}": untraced for name in names.split()}


METHODS: Mapping[str, Untraced] = {
    **_each(Untraced.NUMBER, "", "item tolist"),
    **_each(Untraced.SHAPE, "", "argwhere bincount masked_select nonzero unique unique_consecutive"),
    **_each(Untraced.VALUE, "", "allclose equal is_nonzero"),
    **_each(Untraced.GRADIENT, "", "backward"),
    **_each(
        Untraced.CALL,
        "",
        "__deepcopy__ apply_ is_pinned is_shared map_ random_ resize_ retain_grad share_memory_ storage to_sparse"
        " to_sparse_csr",
    ),
}
"""Methods of tensors."""
OF_TENSORS: Mapping[str, Untraced] = {
    **_each(Untraced.NUMBER, "builtins.", "bool float int"),
    **_each(Untraced.VALUE, "builtins.", "all any complex range sorted"),
    **_each(Untraced.VALUE, "math.", "ceil exp floor isfinite isinf isnan log log10 log2 pow sqrt"),
    **_each(Untraced.TEXT, "builtins.", "ascii repr str"),
    **_each(Untraced.CALL, "copy.", "copy deepcopy"),
}
"""Functions of Python that break the graph if they are given a tensor."""
OF_MODULES: Mapping[str, Untraced] = _each(Untraced.CALL, "copy.", "deepcopy")
"""Those that break it if they are given a module."""
SIZED_FUNCTIONS = frozenset(f"torch.{name}" for name in "empty eye full ones rand randn zeros".split())
SIZED_METHODS = frozenset("expand narrow new_ones new_zeros repeat topk view".split())
"""Functions and methods of tensors that break it if they are given a tensor for a size: a number is read from it."""
FUNCTIONS: Mapping[str, Untraced] = {
    **_each(Untraced.SHAPE, "torch.", "argwhere bincount masked_select nonzero unique unique_consecutive"),
    **_each(Untraced.VALUE, "torch.", "allclose equal is_nonzero"),
    **_each(Untraced.GRADIENT, "torch.autograd.", "grad"),
    **_each(Untraced.PARAMETER, "torch.nn.", "Parameter"),
    **_each(
        Untraced.CALL,
        "torch.",
        "Generator autograd.Variable autograd.backward cuda.device_count cuda.manual_seed cuda.manual_seed_all"
        " cuda.max_memory_allocated cuda.memory_allocated get_num_threads get_rng_state initial_seed"
        " is_inference_mode_enabled jit.script load manual_seed nested.as_nested_tensor nested.nested_tensor"
        " nn.utils.rnn.pack_padded_sequence random.manual_seed save set_num_threads set_rng_state"
        " sparse_coo_tensor utils.data.default_collate",
    ),
    **_each(Untraced.OUTPUT, "builtins.", "print"),
    **_each(Untraced.OUTPUT, "warnings.", "warn"),
    **_each(Untraced.OUTPUT, "logging.", "critical debug error info log warning"),
    **_each(Untraced.CALL, "builtins.", "compile exec globals open"),
    **_each(Untraced.CALL, "time.", "ctime monotonic perf_counter process_time sleep strftime time time_ns"),
    **_each(Untraced.CALL, "datetime.", "date.today datetime.now datetime.utcnow"),
    **_each(
        Untraced.CALL,
        "random.",
        "betavariate choice choices gauss getstate normalvariate random sample seed shuffle",
    ),
    **_each(
        Untraced.CALL, "numpy.", "array2string interp load random.beta random.permutation save savez set_printoptions"
    ),
    **_each(
        Untraced.CALL, "os.", "cpu_count getcwd getpid listdir makedirs path.abspath path.exists path.isdir path.isfile"
    ),
    **_each(Untraced.CALL, "json.", "dump dumps loads"),
    **_each(Untraced.CALL, "pickle.", "dumps loads"),
    **_each(Untraced.CALL, "subprocess.", "run"),
    **_each(Untraced.CALL, "sys.", "getrefcount getsizeof stderr.write stdout.flush stdout.write"),
    **_each(Untraced.CALL, "gc.", "collect disable"),
    **_each(Untraced.CALL, "inspect.", "currentframe getsource stack"),
    **_each(Untraced.CALL, "traceback.", "print_exc print_stack"),
    **_each(Untraced.CALL, "threading.", "Lock Thread current_thread get_ident"),
    **_each(Untraced.CALL, "uuid.", "uuid4"),
    **_each(Untraced.CALL, "pprint.", "pformat pprint"),
    **_each(Untraced.CALL, "heapq.", "heappush"),
    **_each(Untraced.CALL, "bisect.", "bisect"),
    **_each(Untraced.CALL, "torch._dynamo.", "graph_break"),
}
"""Functions and classes that break the graph whatever they are given."""
ANY_OWNER = frozenset({"item", "tolist"})
"""Those that break it on whatever has them: what NumPy has is traced as a tensor."""
LOGGER = "logging.Logger"
LOGGER_MAKERS = {"logging.getLogger": LOGGER}
"""What returns a logger."""
LOGGER_METHODS = frozenset("critical debug error exception info isEnabledFor log setLevel warning".split())
"""Methods that break it at any level."""


@dataclass(frozen=True, slots=True)
class Default:
    """What a function needs data for, if an argument is left out."""

    untraced: Untraced
    keyword: str
    position: int


DEFAULTS: Mapping[str, Default] = {
    "torch.nn.functional.one_hot": Default(Untraced.VALUE, "num_classes", 1),
    "torch.where": Default(Untraced.SHAPE, "input", 1),
}
RECURRENT_LAYERS = frozenset({"torch.nn.GRU", "torch.nn.LSTM", "torch.nn.RNN"})
"""Layers that are not traced; their cells are."""
OPTIMIZER_METHODS = frozenset({"step", "zero_grad"})
"""Methods of optimizers that break it."""
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
