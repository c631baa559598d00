"""Functions that Dynamo, the tracer of `torch.compile`, does not trace: a call of one breaks the graph.

Measured on torch 2.13.0 with `backend="eager"`, where the tests run every row.
"""

from __future__ import annotations

from collections.abc import Mapping

from torchlint.pytorch.symbols import NN
from torchlint.pytorch.untraced import Untraced, each

FUNCTIONS: Mapping[str, Untraced] = {
    **each(Untraced.SHAPE, "torch.", "argwhere bincount masked_select nonzero unique unique_consecutive"),
    **each(Untraced.SHAPE, "numpy.", "argwhere flatnonzero nonzero unique"),
    **each(Untraced.VALUE, "torch.", "allclose corrcoef cov equal is_nonzero testing.assert_close"),
    **each(
        Untraced.GRADIENT,
        "torch.autograd.",
        "functional.hessian functional.hvp functional.jacobian functional.jvp functional.vjp grad",
    ),
    **each(Untraced.PARAMETER, NN, "Parameter"),
    **each(
        Untraced.CALL,
        "torch.",
        "Generator autograd.Variable autograd.backward autograd.detect_anomaly autograd.graph.save_on_cpu"
        " autograd.set_detect_anomaly backends.cuda.flash_sdp_enabled"
        " backends.cuda.is_built backends.cuda.math_sdp_enabled backends.cuda.mem_efficient_sdp_enabled"
        " backends.cuda.preferred_linalg_library backends.cuda.sdp_kernel backends.cudnn.flags"
        " backends.cudnn.is_available backends.mps.is_available can_cast combinations cuda.device_count"
        " cuda.is_bf16_supported"
        " cuda.manual_seed cuda.manual_seed_all cuda.max_memory_allocated cuda.memory_allocated"
        " distributions.kl.kl_divergence distributions.kl_divergence nn.functional.ctc_loss sparse.mm sparse_csr_tensor"
        " get_float32_matmul_precision get_num_threads get_rng_state initial_seed"
        " is_inference is_inference_mode_enabled jit.script linalg.lstsq load manual_seed nested.as_nested_tensor"
        " nested.nested_tensor nn.utils.rnn.pack_padded_sequence random.fork_rng random.manual_seed result_type save"
        " set_num_threads set_rng_state sparse_coo_tensor typename utils.data.DataLoader utils.data.TensorDataset"
        " utils.data.default_collate utils.data.get_worker_info",
    ),
    **each(Untraced.OUTPUT, "builtins.", "print"),
    **each(Untraced.OUTPUT, "warnings.", "warn"),
    **each(Untraced.CALL, "warnings.", "filterwarnings simplefilter"),
    **each(Untraced.OUTPUT, "logging.", "critical debug error info log warning"),
    **each(Untraced.CALL, "builtins.", "__import__ bytearray bytes compile exec globals memoryview object open"),
    **each(Untraced.CALL, "time.", "ctime localtime monotonic perf_counter process_time sleep strftime time time_ns"),
    **each(Untraced.CALL, "datetime.", "date.today datetime.now datetime.utcnow timedelta"),
    **each(
        Untraced.CALL,
        "random.",
        "betavariate choice choices gauss getstate normalvariate random sample seed shuffle",
    ),
    **each(
        Untraced.CALL,
        "numpy.",
        "allclose array2string digitize errstate frombuffer fromiter interp isin lexsort load"
        " ndindex polyfit printoptions random.beta random.default_rng random.permutation save savez set_printoptions"
        " setdiff1d trapezoid union1d",
    ),
    **each(
        Untraced.CALL,
        "os.",
        "cpu_count getcwd getpid listdir makedirs path.abspath path.exists path.getsize path.isdir path.isfile"
        " path.realpath stat",
    ),
    **each(Untraced.CALL, "json.", "dump dumps loads"),
    **each(Untraced.CALL, "pickle.", "dumps loads"),
    **each(Untraced.CALL, "sys.", "getrefcount getsizeof stderr.write stdout.flush stdout.write"),
    **each(Untraced.CALL, "gc.", "collect disable"),
    **each(Untraced.CALL, "inspect.", "currentframe getsource signature stack"),
    **each(Untraced.CALL, "logging.", "getLogger"),
    **each(Untraced.CALL, "hashlib.", "md5 sha1 sha256"),
    **each(Untraced.CALL, "io.", "BytesIO StringIO"),
    **each(
        Untraced.CALL,
        "",
        "base64.b64encode bisect.bisect glob.glob heapq.heappush shutil.which socket.gethostname subprocess.run"
        " torch._dynamo.graph_break types.SimpleNamespace uuid.uuid4",
    ),
    **each(Untraced.CALL, "traceback.", "print_exc print_stack"),
    **each(Untraced.CALL, "threading.", "Lock Thread current_thread get_ident"),
    **each(Untraced.CALL, "pprint.", "pformat pprint"),
}
"""Functions and classes that break the graph whatever they are given."""
UNTRACED_LIBRARIES = frozenset({"scipy"})
"""Libraries whose functions break it: they are compiled, or compute with what NumPy has and PyTorch has not."""
TRACED_OF_LIBRARIES = frozenset(
    f"scipy.{name}" for name in "linalg.dft linalg.hadamard signal.windows.gaussian special.softmax".split()
)
"""Those of them that are traced."""
