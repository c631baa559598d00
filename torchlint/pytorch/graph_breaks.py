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
from torchlint.pytorch.untraced import Untraced

MEASURED_ON = "2.13"
"""The version of PyTorch that these rows hold for."""


def _each(untraced: Untraced, space: str, names: str) -> dict[str, Untraced]:
    return {f"{space}{name}": untraced for name in names.split()}


METHODS: Mapping[str, Untraced] = {
    **_each(Untraced.NUMBER, "", "item tolist"),
    **_each(Untraced.SHAPE, "", "argwhere bincount masked_select nonzero unique unique_consecutive"),
    **_each(Untraced.VALUE, "", "allclose corrcoef cov equal is_nonzero"),
    **_each(Untraced.GRADIENT, "", "backward"),
    **_each(
        Untraced.CALL,
        "",
        "__deepcopy__ apply_ is_inference is_pinned is_shared map_ random_ resize_ retain_grad share_memory_ storage"
        " storage_offset to_sparse to_sparse_csr",
    ),
}
"""Methods of tensors."""
OF_TENSORS: Mapping[str, Untraced] = {
    **_each(Untraced.NUMBER, "builtins.", "bool float int"),
    **_each(Untraced.VALUE, "builtins.", "all any complex pow range sorted"),
    **_each(Untraced.VALUE, "torch.", "_assert"),
    **_each(Untraced.VALUE, "math.", "ceil exp floor isfinite isinf isnan log log10 log2 pow sqrt"),
    **_each(Untraced.TEXT, "builtins.", "ascii repr str"),
    **_each(Untraced.CALL, "copy.", "copy deepcopy"),
}
"""Functions of Python that break the graph if they are given a tensor."""
OF_MODULES: Mapping[str, Untraced] = _each(Untraced.CALL, "copy.", "copy deepcopy")
"""Those that break it if they are given a module."""
METHODS_OF_MODULES = frozenset(
    "load_state_dict register_forward_hook register_forward_pre_hook register_full_backward_hook".split()
)
"""Methods of modules that break it."""
SIZED_FUNCTIONS = frozenset(f"torch.{name}" for name in "arange empty eye full ones rand randn zeros".split())
SIZED_METHODS = frozenset("expand narrow new_ones new_zeros repeat topk view".split())
"""Functions and methods of tensors that break it if they are given a tensor for a size: a number is read from it."""
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
FUNCTIONS: Mapping[str, Untraced] = {
    **_each(Untraced.SHAPE, "torch.", "argwhere bincount masked_select nonzero unique unique_consecutive"),
    **_each(Untraced.VALUE, "torch.", "allclose corrcoef cov equal is_nonzero"),
    **_each(Untraced.GRADIENT, "torch.autograd.", "grad"),
    **_each(Untraced.PARAMETER, NN, "Parameter"),
    **_each(
        Untraced.CALL,
        "torch.",
        "Generator autograd.Variable autograd.backward autograd.set_detect_anomaly backends.cuda.flash_sdp_enabled"
        " backends.cuda.is_built backends.cuda.math_sdp_enabled backends.cuda.mem_efficient_sdp_enabled"
        " backends.cuda.preferred_linalg_library backends.cuda.sdp_kernel backends.cudnn.flags"
        " backends.cudnn.is_available backends.mps.is_available can_cast combinations cuda.device_count"
        " cuda.is_bf16_supported"
        " cuda.manual_seed cuda.manual_seed_all cuda.max_memory_allocated cuda.memory_allocated"
        " get_float32_matmul_precision get_num_threads get_rng_state initial_seed"
        " is_inference is_inference_mode_enabled jit.script linalg.lstsq load manual_seed nested.as_nested_tensor"
        " nested.nested_tensor nn.utils.rnn.pack_padded_sequence random.fork_rng random.manual_seed result_type save"
        " set_num_threads set_rng_state sparse_coo_tensor typename utils.data.DataLoader utils.data.TensorDataset"
        " utils.data.default_collate utils.data.get_worker_info",
    ),
    **_each(Untraced.OUTPUT, "builtins.", "print"),
    **_each(Untraced.OUTPUT, "warnings.", "warn"),
    **_each(Untraced.OUTPUT, "logging.", "critical debug error info log warning"),
    **_each(Untraced.CALL, "builtins.", "__import__ bytes compile exec globals open"),
    **_each(Untraced.CALL, "time.", "ctime localtime monotonic perf_counter process_time sleep strftime time time_ns"),
    **_each(Untraced.CALL, "datetime.", "date.today datetime.now datetime.utcnow timedelta"),
    **_each(
        Untraced.CALL,
        "random.",
        "betavariate choice choices gauss getstate normalvariate random sample seed shuffle",
    ),
    **_each(
        Untraced.CALL, "numpy.", "array2string interp load random.beta random.permutation save savez set_printoptions"
    ),
    **_each(
        Untraced.CALL,
        "os.",
        "cpu_count getcwd getpid listdir makedirs path.abspath path.exists path.getsize path.isdir path.isfile"
        " path.realpath stat",
    ),
    **_each(Untraced.CALL, "json.", "dump dumps loads"),
    **_each(Untraced.CALL, "pickle.", "dumps loads"),
    **_each(Untraced.CALL, "sys.", "getrefcount getsizeof stderr.write stdout.flush stdout.write"),
    **_each(Untraced.CALL, "gc.", "collect disable"),
    **_each(Untraced.CALL, "inspect.", "currentframe getsource signature stack"),
    **_each(Untraced.CALL, "logging.", "getLogger"),
    **_each(Untraced.CALL, "hashlib.", "md5 sha1 sha256"),
    **_each(Untraced.CALL, "io.", "BytesIO StringIO"),
    **_each(
        Untraced.CALL,
        "",
        "base64.b64encode bisect.bisect glob.glob heapq.heappush shutil.which socket.gethostname subprocess.run"
        " torch._dynamo.graph_break types.SimpleNamespace uuid.uuid4",
    ),
    **_each(Untraced.CALL, "traceback.", "print_exc print_stack"),
    **_each(Untraced.CALL, "threading.", "Lock Thread current_thread get_ident"),
    **_each(Untraced.CALL, "pprint.", "pformat pprint"),
}
"""Functions and classes that break the graph whatever they are given."""
ANY_OWNER = frozenset({"item", "tolist"})
"""Those that break it on whatever has them: what NumPy has is traced as a tensor."""
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
RECURRENT_LAYERS = frozenset({"torch.nn.GRU", "torch.nn.LSTM", "torch.nn.RNN"})
"""Layers that are not traced; their cells are."""
_OF_SCHEDULERS = {
    **_each(Untraced.UPDATE, "", "step"),
    **_each(Untraced.CALL, "", "get_last_lr get_lr state_dict"),
}
METHODS_OF_ROLES: Mapping[Role, Mapping[str, Untraced]] = {
    Role.OPTIMIZER: {
        **_each(Untraced.UPDATE, "", "step zero_grad"),
        **_each(Untraced.CALL, "", "load_state_dict state_dict"),
    },
    Role.SCHEDULER: _OF_SCHEDULERS,
    Role.METRIC_SCHEDULER: _OF_SCHEDULERS,
    Role.SCALER: {
        **_each(Untraced.UPDATE, "", "step"),
        **_each(Untraced.CALL, "", "get_scale is_enabled scale unscale_ update"),
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
