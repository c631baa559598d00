"""What breaks a graph, run by Dynamo: every row with a graph that may break, with one graph, and exported."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from torchlint.pytorch.graph_breaks import (
    ASSIGNED_ATTRIBUTES,
    DEFAULTS,
    DISABLING,
    LEAF_ARGUMENT,
    LOGGER_METHODS,
    MADE_LAYERS,
    MAKERS_OF_LEAVES,
    MEASURED_ON,
    METHODS,
    METHODS_OF_MODULES,
    METHODS_OF_ROLES,
    NUMBERS_OF_NUMPY,
    NUMPY_GRIDS,
    NUMPY_NUMBERS,
    OF_MODULES,
    OF_TENSORS,
    RECURRENT_LAYERS,
    REPEATING,
    SIZED_FUNCTIONS,
    SIZED_METHODS,
    SIZED_OTHERS,
    UNTRACED_DERIVATIVES,
    UNTRACED_LAYERS,
)
from torchlint.pytorch.untraced import RAISES, Tracing, Untraced
from torchlint.pytorch.untraced_functions import FUNCTIONS, TRACED_OF_LIBRARIES

torch = pytest.importorskip("torch")

# What the rows are given; `y` is computed in the graph, `p` is a parameter.
ARGUMENTS = {
    "apply_": "lambda v: v",
    "map_": "y, lambda a, b: a",
    "resize_": "3, 5",
    "masked_select": "y > 0",
    "allclose": "y",
    "equal": "y",
    "__deepcopy__": "{}",
    "math.pow": "t, 2.0",
    "torch.allclose": "y, y",
    "torch.equal": "y, y",
    "torch.masked_select": "y, y > 0",
    "torch.is_nonzero": "t",
    "torch.autograd.grad": "(y @ p).sum(), p",
    "torch.autograd.backward": "(y @ p).sum()",
    "torch.bincount": "y[0].long()",
    "torch.jit.script": "f.relu",
    "torch.load": "path",
    "torch.save": "y, path",
    "torch.manual_seed": "0",
    "torch.random.manual_seed": "0",
    "torch.cuda.manual_seed": "0",
    "torch.cuda.manual_seed_all": "0",
    "torch.set_num_threads": "torch_threads",
    "torch.set_rng_state": "state",
    "torch.nested.as_nested_tensor": "[y, y]",
    "torch.nested.nested_tensor": "[y, y]",
    "torch.nn.utils.rnn.pack_padded_sequence": "y[None], torch.tensor([3]), batch_first=True",
    "torch.sparse_coo_tensor": "torch.tensor([[0, 1], [0, 1]]), torch.tensor([1.0, 2.0]), (3, 3)",
    "torch.utils.data.default_collate": "[1, 2]",
    "builtins.print": "'here'",
    "builtins.compile": "'1', 'text', 'eval'",
    "builtins.exec": "'1'",
    "builtins.open": "path",
    "warnings.warn": "'slow'",
    "logging.log": "10, 'here'",
    "time.sleep": "0",
    "time.strftime": "'%Y'",
    "random.betavariate": "1, 1",
    "random.choice": "[1, 2]",
    "random.choices": "[1, 2]",
    "random.gauss": "0, 1",
    "random.normalvariate": "0, 1",
    "random.sample": "[1, 2], 1",
    "random.seed": "0",
    "random.shuffle": "items",
    "numpy.array2string": "array",
    "numpy.interp": "1.0, array, array",
    "numpy.load": "array_path",
    "numpy.random.beta": "1, 1",
    "numpy.random.permutation": "3",
    "numpy.save": "array_path, array",
    "numpy.savez": "array_path + 'z', array",
    "os.makedirs": "folder, exist_ok=True",
    "os.listdir": "folder",
    "os.path.abspath": "'a'",
    "os.path.exists": "'a'",
    "os.path.isdir": "'a'",
    "os.path.isfile": "'a'",
    "json.dump": "{}, stream",
    "json.dumps": "{'a': 1}",
    "json.loads": "'{}'",
    "pickle.dumps": "1",
    "pickle.loads": "b'N.'",
    "subprocess.run": "['true']",
    "sys.getrefcount": "items",
    "sys.getsizeof": "1",
    "sys.stdout.write": "''",
    "sys.stderr.write": "''",
    "inspect.getsource": "f.relu",
    "pprint.pformat": "1",
    "pprint.pprint": "1",
    "heapq.heappush": "items, 1",
    "bisect.bisect": "items, 1",
    "torch.nn.Parameter": "torch.ones(4)",
    "torch.nn.GroupNorm": "2, 4",
    "torch._assert": "t > 0, 'here'",
    "torch.autograd.set_detect_anomaly": "True",
    "torch.can_cast": "torch.float32, torch.float16",
    "torch.corrcoef": "y",
    "torch.cov": "y",
    "torch.combinations": "y[0]",
    "torch.is_inference": "y",
    "torch.linalg.lstsq": "y, y",
    "torch.result_type": "y, 1",
    "torch.typename": "y",
    "torch.utils.data.DataLoader": "[1]",
    "torch.utils.data.TensorDataset": "y",
    "builtins.__import__": "'math'",
    "builtins.bytes": "2",
    "builtins.pow": "t, 2",
    "base64.b64encode": "b'a'",
    "datetime.timedelta": "days=1",
    "glob.glob": "'a*'",
    "hashlib.md5": "b'a'",
    "hashlib.sha1": "b'a'",
    "hashlib.sha256": "b'a'",
    "inspect.signature": "f.relu",
    "logging.getLogger": "'here'",
    "os.path.getsize": "folder",
    "os.path.realpath": "'a'",
    "os.stat": "folder",
    "shutil.which": "'a'",
    "numpy.random.choice": "3",
    "numpy.random.randint": "0, 4",
    "torch.nn.functional.one_hot": "y.long()",
    "torch.nn.functional.ctc_loss": "y[:, None].log_softmax(-1), torch.ones(1, 2).long(), (3,), (2,)",
    "torch.distributions.kl.kl_divergence": "normal(y, 1.0), normal(y, 2.0)",
    "torch.distributions.kl_divergence": "normal(y, 1.0), normal(y, 2.0)",
    "torch.testing.assert_close": "y, y",
    "torch.sparse.mm": "sparse, y",
    "torch.sparse_csr_tensor": "torch.tensor([0, 1]), torch.tensor([0]), torch.tensor([1.0]), (1, 1)",
    "torch.autograd.functional.hessian": "lambda v: v.sum(), y",
    "torch.autograd.functional.hvp": "lambda v: v.sum(), y, y",
    "torch.autograd.functional.jacobian": "lambda v: v * 2, y",
    "torch.autograd.functional.jvp": "lambda v: v * 2, y, y",
    "torch.autograd.functional.vjp": "lambda v: v * 2, y, y",
    "warnings.filterwarnings": "'ignore'",
    "warnings.simplefilter": "'ignore'",
    "builtins.bytearray": "b'a'",
    "builtins.memoryview": "b'a'",
    "builtins.divmod": "t, 2",
    "math.atan2": "t, 1.0",
    "math.copysign": "1.0, t",
    "math.fmod": "t, 2.0",
    "math.hypot": "t, t",
    "math.isclose": "t, 1.0",
    "numpy.allclose": "y.numpy(), y.numpy()",
    "numpy.argwhere": "y.numpy()",
    "numpy.digitize": "[1.0], [1.0]",
    "numpy.flatnonzero": "y.numpy()",
    "numpy.frombuffer": "b'a', dtype='uint8'",
    "numpy.fromiter": "[1], int",
    "numpy.isin": "[1], [1]",
    "numpy.lexsort": "[[1]]",
    "numpy.ndindex": "2",
    "numpy.nonzero": "y.numpy()",
    "numpy.polyfit": "[1.0, 2.0], [1.0, 2.0], 1",
    "numpy.setdiff1d": "[1], [2]",
    "numpy.trapezoid": "[1.0, 2.0]",
    "numpy.union1d": "[1], [2]",
    "numpy.unique": "y.numpy()",
    "numpy.where": "y.numpy() > 0",
    "torch.where": "y.long()",
}
# Scalars for what converts one, integers for what counts, and a graph for what goes back through it.
OWNERS = {"item": "t", "is_nonzero": "t", "bincount": "y[0].long()", "backward": "(y @ p).sum()",
          "retain_grad": "(y @ p)", "resize_": "y.clone()"}  # fmt: skip
# What the functions that make leaves are given.
OF_LEAVES = {"full": "(3,), 1.0", "full_like": "y, 1.0", "linspace": "0, 1, 3", "logspace": "0, 1, 3",
             "normal": "0.0, 1.0, (3,)", "arange": "3.0", "tensor": "[1.0]", "asarray": "[1.0]"}  # fmt: skip
SIZES = {"expand": "n, 3, 4", "narrow": "0, 0, n", "repeat": "n, 1", "reshape": "n, -1", "select": "0, n", "split": "n",
         "unflatten": "1, (n, -1)", "unfold": "0, n, 1", "view": "n, -1", "roll": "n, 0", "tile": "n, 1",
         "new_full": "(n,), 1.0", "kthvalue": "n"}  # fmt: skip
SIZED = {"torch.full": "(n,), 1.0", "torch.randint": "0, n, (2,)", "torch.nn.functional.pad": "y, (0, n)",
         "torch.reshape": "y, (n, -1)", "torch.tile": "y, (n, 1)"}  # fmt: skip
OPERANDS = {"all": "y[0] > 0", "any": "y[0] > 0", "sorted": "y[0]", "range": "t.long()"}
OF_ROLES = {"OPTIMIZER.load_state_dict": "roles['OPTIMIZER'].state_dict()", "METRIC_SCHEDULER.step": "1.0",
            "SCALER.scale": "t", "SCALER.step": "optimizer", "SCALER.unscale_": "optimizer"}  # fmt: skip
# Operators, subscripts and tests, and what they are given.
WRITTEN = [
    *((Untraced.READ, code) for code in ("y[y.argmax() * 0]", "y[n, 0]", "items[n]", "y[0, n] = 0.0")),
    *((Untraced.NUMBER, code) for code in ("float(y.numpy().mean())", "y[n:]", "y[:n]", "y[0, :n]", "y[0, :n] = 0.0")),
    *((Untraced.BRANCH, code) for code in ("m = 1 if 0 < t < 2 else 2", "m = 1 if t in (1.0, 2.0) else 2")),
    *((Untraced.TEXT, code) for code in ("'%s' % t", "'%d of %d' % (n, 2)")),
    *((Untraced.VALUE, code) for code in ("any([t > 0, t > 1])", "sorted([t, t])")),
    *((Untraced.CALL, code) for code in ("copy.deepcopy([y])", "copy.deepcopy({'a': y})")),
    (Untraced.CALL, "torch.zeros(2, requires_grad=(y @ p).requires_grad)"),
]
_HOOKS = ("register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook")
OF_MODULE = {"load_state_dict": "parts", "requires_grad_": "False", **dict.fromkeys(_HOOKS, "lambda *a: None")}
LAYER_ARGUMENTS = dict.fromkeys(("Conv1d", "Conv2d", "Conv3d"), "4, 4, 1")
LOGGER_ARGUMENTS = {"log": "10, 'here'", "isEnabledFor": "10", "setLevel": "10"}


def _rows() -> Iterator[tuple[Untraced, str]]:
    yield from _of_functions()
    yield from _of_tensors()
    yield from _of_code()
    yield from _of_objects()
    yield from _of_layers()


def _of_functions() -> Iterator[tuple[Untraced, str]]:
    for name, untraced in METHODS.items():
        yield untraced, f"{OWNERS.get(name, 'y')}.{name}({ARGUMENTS.get(name, '')})"
    for name, untraced in OF_TENSORS.items():
        last = name.rpartition(".")[2]
        yield (
            untraced,
            f"{_written(name)}({ARGUMENTS.get(name) or OPERANDS.get(last, 'y' if untraced is Untraced.TEXT else 't')})",
        )
    for name, untraced in FUNCTIONS.items():
        yield untraced, f"{_written(name)}({ARGUMENTS.get(name, _own(name))})"
    for name, default in DEFAULTS.items():
        own = {Untraced.PARAMETER: "4"}.get(default.untraced, "")
        yield default.untraced, f"{name}({ARGUMENTS.get(name, own)})"
    for name, untraced in OF_MODULES.items():
        yield untraced, f"{name}(linear)"


def _of_tensors() -> Iterator[tuple[Untraced, str]]:
    for name in sorted(SIZED_FUNCTIONS):
        yield Untraced.NUMBER, f"{name}({SIZED.get(name, 'n')})"
    for name, untraced in SIZED_OTHERS.items():
        given = SIZED.get(name) or f"y, {SIZES.get(name.rpartition('.')[2], 'n')}"
        yield untraced, f"{name}({given})"
    for name, untraced in SIZED_METHODS.items():
        yield untraced, f"y.{name}({SIZES.get(name, 'n')})"
    for name in sorted(NUMPY_NUMBERS):
        for number in sorted(NUMBERS_OF_NUMPY):
            yield Untraced.NUMBER, f"{_written(number)}({name}([2, 2]))"
    for name in sorted(MAKERS_OF_LEAVES):
        last = name.rpartition(".")[2]
        yield (
            Untraced.CALL,
            f"{name}({OF_LEAVES.get(last, 'y' if last.endswith('_like') else '3')}, {LEAF_ARGUMENT}=True)",
        )


def _of_code() -> Iterator[tuple[Untraced, str]]:
    for code in (f"y.{REPEATING}(repeats, 0)", f"torch.{REPEATING}(y, repeats, 0)"):
        yield Untraced.SHAPE, code
    for code in ("torch.rand(3, {})", "torch.bernoulli(y * 0, {})", "y.uniform_({})"):
        yield Untraced.CALL, code.format("generator=generator")
    yield from WRITTEN
    for name in sorted(NUMPY_GRIDS):
        yield Untraced.CALL, f"{name}[0:3]"
    for code in ("m = 1 if t.item() > 0 else 2", "m = 1 if float(t) else 2", "m = 1 if not int(t) == 2 else 2"):
        yield Untraced.SYMBOL, code


def _of_objects() -> Iterator[tuple[Untraced, str]]:
    for name in sorted(LOGGER_METHODS):
        yield Untraced.OUTPUT, f"logger.{name}({LOGGER_ARGUMENTS.get(name, repr('here'))})"
    for role, methods in METHODS_OF_ROLES.items():
        for name, untraced in methods.items():
            yield untraced, f"roles[{role.name!r}].{name}({OF_ROLES.get(f'{role.name}.{name}', '')})"
    for name in sorted(METHODS_OF_MODULES):
        yield Untraced.CALL, f"linear.{name}({OF_MODULE.get(name, '')})"
    for name in sorted(MADE_LAYERS):
        yield Untraced.PARAMETER, f"{name}({LAYER_ARGUMENTS.get(name.rpartition('.')[2], '4, 4')})"
    for name in sorted(UNTRACED_DERIVATIVES):
        yield Untraced.CALL, f"own[{name!r}].apply(y @ p)"
    for name in sorted(ASSIGNED_ATTRIBUTES):
        yield Untraced.ATTRIBUTE, f"y.{name} = {'y + 1' if name == 'data' else True}"
    for name in sorted(DISABLING):
        yield Untraced.DISABLED, f"disabled[{name!r}](y)"


def _of_layers() -> Iterator[tuple[Untraced, str]]:
    for name in sorted(UNTRACED_LAYERS):
        yield Untraced.CALL, f"{name}()({ARGUMENTS['torch.nn.functional.ctc_loss']})"
    for name in sorted(RECURRENT_LAYERS):
        yield Untraced.RECURRENT, f"layers[{name!r}](y)"


def _own(name: str) -> str:
    """Return the argument of a function of PyTorch without a row of its own."""
    return "y" if FUNCTIONS[name] is Untraced.SHAPE else "'here'" if FUNCTIONS[name] is Untraced.OUTPUT else ""


def _written(name: str) -> str:
    return name.removeprefix("builtins.")


def test_the_rows_are_run_by_the_release_that_they_hold_for() -> None:
    assert torch.__version__.startswith(f"{MEASURED_ON}.")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("breaks")
    tops = {name.partition(".")[0] for name in (*FUNCTIONS, *OF_TENSORS)} - {"builtins"}
    modules = {name: importlib.import_module(name) for name in tops}
    for name in ("torch.nn.utils.rnn", "torch.nested", "torch.utils.data", "numpy.random"):
        importlib.import_module(name)
    parameter = torch.nn.Parameter(torch.randn(4, 4))
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    linear = torch.nn.Linear(4, 4)
    torch.save(torch.ones(2), folder / "a.pt")
    modules["numpy"].save(folder / "a.npy", modules["numpy"].ones(2))
    return {
        **modules,
        "f": torch.nn.functional,
        "p": parameter,
        "path": str(folder / "a.pt"),
        "array_path": str(folder / "a.npy"),
        "folder": str(folder),
        "array": modules["numpy"].ones(3),
        "items": [1, 2],
        "stream": io.StringIO(),
        "state": torch.get_rng_state(),
        "torch_threads": torch.get_num_threads(),
        "linear": linear,
        "parts": linear.state_dict(),
        "optimizer": optimizer,
        "roles": {
            "OPTIMIZER": optimizer,
            "SCHEDULER": torch.optim.lr_scheduler.StepLR(optimizer, 1),
            "METRIC_SCHEDULER": torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer),
            "SCALER": torch.amp.GradScaler("cpu", enabled=False),
        },
        "generator": torch.Generator(),
        "normal": torch.distributions.Normal,
        "sparse": torch.eye(3).to_sparse(),
        "repeats": torch.tensor([1, 0, 2]),
        "own": {name: _with_own(name) for name in UNTRACED_DERIVATIVES},
        "logger": logging.getLogger("of the test"),
        "layers": {name: getattr(torch.nn, name.rpartition(".")[2])(4, 4) for name in RECURRENT_LAYERS},
        "disabled": {name: _resolved(name)(lambda y: y + 1) for name in DISABLING},
    }


def _with_own(name: str) -> Any:
    class Doubled(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * 2

    setattr(Doubled, name, staticmethod(lambda ctx, *given: given[0]))
    return Doubled


def _resolved(name: str) -> Callable[..., Any]:
    found: Any = importlib.import_module("torch._dynamo" if "_dynamo" in name else "torch.compiler")
    return getattr(found, name.rpartition(".")[2])  # type: ignore[no-any-return]


def function_of(code: str, names: dict[str, Any], folder: Path) -> Callable[..., Any]:
    """Return a function that runs a statement between two operations; Dynamo reads its source."""
    text = f"def row(x):\n    y = x + 1\n    t = y.sum()\n    n = t.long() * 0 + 1\n    {code}\n    return y * 2\n"
    path = folder / "row.py"
    path.write_text(text)
    # Own names, as `globals()` and the like may be traced.
    space = dict(names)
    exec(compile(text, str(path), "exec"), space)
    found: Callable[..., Any] = space["row"]
    return found


def is_broken(run: Callable[..., Any]) -> bool:
    """Tell whether the graph of a function breaks."""
    breaks: list[str] = []
    handler = logging.Handler()

    def heard(record: logging.LogRecord) -> None:
        breaks.append(record.getMessage())
        # What follows need not be compiled.
        raise RuntimeError

    handler.emit = heard  # type: ignore[method-assign]
    logger = logging.getLogger("torch._dynamo.symbolic_convert.__graph_breaks")
    before, logger.handlers, logger.propagate = logger.handlers, [handler], False
    try:
        with contextlib.suppress(AttributeError, TypeError, RuntimeError):
            torch.compile(run, backend="eager")(example())
    finally:
        logger.handlers, logger.propagate = before, True
    return bool(breaks)


def example() -> Any:
    return torch.arange(12.0).view(3, 4) + 1


@pytest.fixture(autouse=True, scope="module")
def _untimed() -> Iterator[None]:
    """Log breaks, which takes a moment to set up, and time no guards: each time flushes the processor's cache."""
    torch._logging.set_logs(graph_breaks=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(importlib.import_module("torch._dynamo.guards"), "profile_guard_manager", lambda *given: 0.0)
        yield
    torch._logging.set_logs()


@pytest.fixture(autouse=True, scope="module")
def _what_lives_on() -> Iterator[None]:
    """Keep the garbage collector, which each reset runs, from going through all that there was before."""
    gc.freeze()
    yield
    gc.unfreeze()
    torch._dynamo.reset()


@pytest.fixture(autouse=True)
def _from_the_start() -> Iterator[None]:
    torch._dynamo.reset()
    with torch.autograd.set_detect_anomaly(False):
        # A row may switch it on.
        yield


ROWS = [*_rows()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("untraced", "code"), ROWS, ids=[code for _, code in ROWS])
def test_a_row_breaks_the_graph(untraced: Untraced, code: str, names: dict[str, Any], tmp_path: Path) -> None:
    assert is_broken(function_of(code, names, tmp_path))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("untraced", "code"), ROWS, ids=[code for _, code in ROWS])
def test_a_row_raises_in_one_graph_as_its_kind_says(
    untraced: Untraced, code: str, names: dict[str, Any], tmp_path: Path
) -> None:
    if code == "y.tolist()":
        code = "y.long().tolist()"
    run = torch.compile(function_of(code, names, tmp_path), backend="eager", fullgraph=True)

    if Tracing.WHOLE in RAISES[untraced]:
        with pytest.raises((torch._dynamo.exc.TorchDynamoException, AttributeError, TypeError, RuntimeError)):
            run(example())
    else:
        run(example())


OF_SCIPY = {
    True: ["linalg.expm(square)", "ndimage.gaussian_filter(square, 1.0)", "optimize.linear_sum_assignment(square)",
           "signal.windows.hann(4)", "spatial.distance.cdist(square, square)", "special.comb(5, 2)",
           "special.gamma(2.0)", "stats.norm.cdf(0.0)", "stats.norm.rvs()"],
    False: ["linalg.dft(4)", "linalg.hadamard(4)", "signal.windows.gaussian(4, 1.0)", "special.softmax(array)"],
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("breaks", "code"), [(breaks, code) for breaks, codes in OF_SCIPY.items() for code in codes])
def test_functions_of_scipy_break_the_graph_but_for_some(
    breaks: bool, code: str, names: dict[str, Any], tmp_path: Path
) -> None:
    assert (f"scipy.{code.partition('(')[0]}" not in TRACED_OF_LIBRARIES) is breaks
    given = {**names, "square": names["numpy"].eye(3), "scipy": pytest.importorskip("scipy")}

    assert is_broken(function_of(f"scipy.{code}", given, tmp_path)) is breaks
