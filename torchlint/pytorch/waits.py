"""What makes the host wait for the GPU, and what only looks like it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """Why the host waits."""

    SCALAR = "scalar read"
    SHAPE = "data-dependent shape"
    CHECK = "validity check"
    DOWNLOAD = "device-to-host copy"
    UPLOAD = "host-to-device copy"
    EXPLICIT = "explicit wait"
    STREAM = "wait for a stream"
    """What a real GPU shows of any of the above."""
    NONE = "no wait"
    OPEN = "not settled"


class Source(Enum):
    """How it is known."""

    TEST = "PyTorch's own test of its synchronisation warnings"
    CODE = "PyTorch's source"
    BINARY = "the calls in the libraries of 2.11.0+cu130"
    PROFILER = "those calls, seen by the profiler; no dispatch mode sees them"
    OPEN = "a GPU has to settle it"


class Fact(NamedTuple):
    """How often a call makes the host wait.

    `call` is a dotted name, or a pattern of the code if it is no call. `example` can be run: in it `x` is a vector of
    floats on the GPU, `y` a number, `i` an integer, `ind` indices, `mask` a mask, `m` a matrix; `host`, `ind_cpu`,
    `mask_cpu` and `pinned` are on the CPU. `given` is run before it, and not counted.
    """

    call: str
    example: str
    waits: int
    kind: Kind
    source: Source = Source.CODE
    given: str = ""


_SCALARS = (
    Fact("torch.Tensor.item", "y.item()", 1, Kind.SCALAR),
    Fact("torch.Tensor.tolist", "x.tolist()", 1, Kind.DOWNLOAD),
    Fact("float", "float(y)", 1, Kind.SCALAR),
    Fact("int", "int(y)", 1, Kind.SCALAR),
    Fact("bool", "bool(y > 0)", 1, Kind.SCALAR, Source.TEST),
    Fact("if", "1 if y > 0 else 2", 1, Kind.SCALAR, Source.TEST),
    Fact("not", "not y", 1, Kind.SCALAR),
    Fact("and", "y and True", 1, Kind.SCALAR),
    Fact("assert", "assert x.min() >= 0", 1, Kind.SCALAR),
    Fact("range", "range(i)", 1, Kind.SCALAR),
    Fact("list.__getitem__", "[0, 1][i]", 1, Kind.SCALAR),
    Fact("in", "y in x", 1, Kind.SCALAR),
    Fact("max", "max(y, y)", 1, Kind.SCALAR),
    Fact("min", "min(y, y)", 1, Kind.SCALAR),
    Fact("sorted", "sorted([y, y])", 1, Kind.SCALAR),
    Fact("math.isnan", "math.isnan(y)", 1, Kind.SCALAR),
    Fact("torch.is_nonzero", "torch.is_nonzero(y)", 1, Kind.SCALAR),
    Fact("torch.equal", "torch.equal(x, x.clone())", 1, Kind.SCALAR),
    Fact("torch.allclose", "torch.allclose(x, x.clone())", 1, Kind.SCALAR),
    Fact("torch.tensor", "torch.tensor([y, y])", 2, Kind.SCALAR),
    Fact("torch.arange", "torch.arange(i)", 1, Kind.SCALAR),
    Fact("torch.linspace", "torch.linspace(0.0, y, 5)", 1, Kind.SCALAR),
    Fact("torch.full", "torch.full((3,), y)", 1, Kind.SCALAR),
    Fact("torch.Tensor.add", "x.add(x, alpha=y)", 1, Kind.SCALAR),
    Fact("torch.Tensor.masked_fill", "x.masked_fill(mask, y)", 1, Kind.SCALAR, Source.BINARY),
    Fact("torch.Tensor.index_fill", "x.index_fill(0, ind, y)", 1, Kind.SCALAR, Source.BINARY),
    Fact("torch.nn.functional.pad", "F.pad(x, (1, 1), value=y)", 1, Kind.SCALAR),
)
# torch._tensor_str formats every element twice, and reads the smallest and the largest.
_TEXTS = (
    Fact("str.format", "f'{y:.3f}'", 1, Kind.SCALAR),
    Fact("str.format", "f'{y}'", 1, Kind.SCALAR),
    Fact("str.format", "f'{x}'", 22, Kind.SCALAR),
    Fact("%", "'%.3f' % y", 1, Kind.SCALAR),
    Fact("print", "repr(y)", 8, Kind.SCALAR),
    Fact("print", "repr(i)", 2, Kind.SCALAR),
    Fact("print", "repr(x)", 22, Kind.SCALAR),
)
_SHAPES = (
    Fact("torch.nonzero", "x.nonzero()", 1, Kind.SHAPE, Source.TEST),
    Fact("torch.argwhere", "torch.argwhere(x)", 1, Kind.SHAPE),
    Fact("torch.where", "torch.where(x > 0)", 1, Kind.SHAPE),
    Fact("torch.masked_select", "x.masked_select(mask)", 1, Kind.SHAPE),
    Fact("torch.Tensor.__getitem__", "x[mask]", 1, Kind.SHAPE, Source.TEST),
    Fact("torch.Tensor.__setitem__", "x[mask] = y", 1, Kind.SHAPE, Source.TEST),
    Fact("torch.unique", "x.unique()", 1, Kind.SHAPE, Source.BINARY),
    Fact("torch.unique_consecutive", "torch.unique_consecutive(x)", 1, Kind.SHAPE, Source.BINARY),
    Fact("torch.bincount", "torch.bincount(ind)", 2, Kind.SHAPE),
    Fact("torch.histc", "torch.histc(x, 4)", 2, Kind.SHAPE),
    Fact("torch.repeat_interleave", "torch.repeat_interleave(x, ind8)", 2, Kind.SHAPE, Source.TEST),
    Fact("torch.nn.functional.one_hot", "F.one_hot(ind)", 1, Kind.SHAPE, Source.TEST),
)
# The first use of `torch.compile` switches these checks off for the whole process.
_CHECKED = "torch.distributions.Distribution.set_default_validate_args(True)"
_CHECKS = (
    Fact("torch.multinomial", "torch.multinomial(x, 1)", 2, Kind.CHECK),
    Fact("torch.normal", "torch.normal(x, x)", 1, Kind.CHECK),
    Fact("torch.linalg.inv", "torch.linalg.inv(m)", 1, Kind.CHECK),
    Fact("torch.linalg.solve", "torch.linalg.solve(m, m[0])", 1, Kind.CHECK),
    Fact("torch.linalg.cholesky", "torch.linalg.cholesky(m @ m.T)", 1, Kind.CHECK),
    Fact("torch.distributions.Distribution", "torch.distributions.Categorical(x)", 1, Kind.SCALAR, given=_CHECKED),
    Fact("torch.distributions.Distribution", "torch.distributions.Normal(x, x)", 2, Kind.SCALAR, given=_CHECKED),
    Fact("torch.nn.functional.gaussian_nll_loss", "F.gaussian_nll_loss(x, x, x)", 1, Kind.SCALAR),
    Fact("torch.nn.utils.clip_grad_norm_", "clip_(grads(net), 1.0, error_if_nonfinite=True)", 1, Kind.SCALAR),
    Fact("torch.nn.BatchNorm1d", "norm(m)", 1, Kind.SCALAR, given="norm = nn.BatchNorm1d(4, momentum=None).to(device)"),
    Fact("torch.amp.GradScaler.step", "s.step(o)", 1, Kind.SCALAR, given="s, o = scaled(net)"),
    Fact("torch.amp.GradScaler.get_scale", "s.get_scale()", 1, Kind.SCALAR, given="s, o = scaled(net)"),
    Fact("torch.amp.GradScaler.state_dict", "s.state_dict()", 2, Kind.SCALAR, given="s, o = scaled(net)"),
    Fact("torch.optim.Adafactor.step", "o.step()", 4, Kind.SCALAR, given="o = optimizer(net, torch.optim.Adafactor)"),
    Fact("torch.optim.lr_scheduler.ReduceLROnPlateau.step", "plateau(net).step(y)", 1, Kind.SCALAR),
)
_COPIES = (
    Fact("torch.Tensor.cpu", "x.cpu()", 1, Kind.DOWNLOAD),
    Fact("torch.Tensor.to", "x.to('cpu')", 1, Kind.DOWNLOAD),
    Fact("torch.Tensor.copy_", "host.clone().copy_(x)", 1, Kind.DOWNLOAD),
    Fact("torch.Tensor.cuda", "host.cuda()", 1, Kind.UPLOAD),
    Fact("torch.Tensor.to", "host.to(device)", 1, Kind.UPLOAD),
    Fact("torch.Tensor.to", "pinned.to(device)", 1, Kind.UPLOAD),
    Fact("torch.Tensor.copy_", "x.clone().copy_(host)", 1, Kind.UPLOAD),
    Fact("torch.tensor", "torch.tensor([1.0, 2.0], device=device)", 1, Kind.UPLOAD),
    Fact("torch.as_tensor", "torch.as_tensor(np.ones(3), device=device)", 1, Kind.UPLOAD),
    Fact("torch.Tensor.__getitem__", "x[ind_cpu]", 1, Kind.UPLOAD, Source.TEST),
    Fact("torch.Tensor.__getitem__", "x[[0, 2]]", 1, Kind.UPLOAD),
    Fact("torch.Tensor.__setitem__", "x[ind_cpu] = y", 1, Kind.UPLOAD, Source.TEST),
    Fact("torch.Tensor.__getitem__", "x[i]", 1, Kind.SCALAR),
    Fact("torch.cuda.synchronize", "torch.cuda.synchronize()", 1, Kind.EXPLICIT),
    Fact("torch.cuda.Stream.synchronize", "torch.cuda.current_stream().synchronize()", 1, Kind.EXPLICIT),
    Fact("torch.cuda.Event.synchronize", "e.synchronize()", 1, Kind.EXPLICIT, given="e = torch.cuda.Event()"),
)
# Dispatch modes make PyTorch take other branches, in which these read nothing.
_UNSEEN = (
    Fact("torch.max.backward", "s.backward()", 2, Kind.SHAPE, Source.PROFILER, "s = p.max()"),
    Fact("torch.median.backward", "s.backward()", 2, Kind.SHAPE, Source.PROFILER, "s = p.median()"),
    Fact("torch.prod.backward", "s.backward()", 1, Kind.SCALAR, Source.PROFILER, "s = p.prod()"),
    Fact("torch.cumprod.backward", "s.backward()", 1, Kind.SCALAR, Source.PROFILER, "s = p.cumprod(0).sum()"),
)


def _none(call: str, example: str, source: Source = Source.CODE, given: str = "") -> Fact:
    return Fact(call, example, 0, Kind.NONE, source, given)


_NO_WAITS = (
    _none("torch.Tensor.shape", "(x.shape, x.size(0), x.numel(), len(x), x.device, x.dtype)"),
    _none("torch.Tensor.detach", "y + y.detach()"),
    _none("torch.Tensor.__iter__", "[v for v in x]"),
    _none("sum", "sum([y, y])"),
    _none("torch.stack", "torch.stack([y, y])"),
    _none("torch.Tensor.all", "(x == x).all()"),
    _none("torch.Tensor.any", "torch.isnan(x).any()", Source.TEST),
    _none("torch.max", "(m.argmax(1), m.max(1), m.topk(2), x.sort(), x.cumsum(0))"),
    _none("torch.quantile", "x.quantile(0.5)"),
    _none("torch.where", "torch.where(x > 0, x, -x)"),
    _none("torch.nonzero_static", "torch.nonzero_static(x, size=8)"),
    _none("torch.Tensor.__getitem__", "x[mask_cpu]", Source.TEST),
    _none("torch.Tensor.__getitem__", "x[ind]", Source.TEST),
    _none("torch.Tensor.__getitem__", "(x[3], x[1:4])"),
    _none("torch.Tensor.__setitem__", "x[mask] = 1.0", Source.TEST),
    _none("torch.Tensor.__setitem__", "x[mask_cpu] = y", Source.TEST),
    _none("torch.Tensor.__setitem__", "x[ind] = y", Source.TEST),
    _none("torch.Tensor.__setitem__", "x[0] = 3.0"),
    _none("torch.Tensor.masked_fill", "x.masked_fill(mask, 0.0)"),
    _none("torch.Tensor.index_select", "(x.index_select(0, ind), x.gather(0, ind))"),
    _none("torch.histc", "torch.histc(x, 4, 0, 1)"),
    _none("torch.nn.functional.one_hot", "F.one_hot(ind, 8)", Source.TEST),
    _none("torch.repeat_interleave", "torch.repeat_interleave(x, ind8, output_size=16)", Source.TEST),
    _none("torch.repeat_interleave", "torch.repeat_interleave(x, 2)"),
    _none("torch.multinomial", "torch.multinomial(x, 4, replacement=True)"),
    _none("torch.nn.functional.dropout", "F.dropout(x)"),
    _none("torch.randperm", "torch.randperm(20000, device=device)", Source.TEST),
    _none("torch.linalg.norm", "torch.linalg.norm(m @ m)"),
    _none("torch.linalg.inv_ex", "(torch.linalg.inv_ex(m), torch.linalg.cholesky_ex(m @ m.T))"),
    _none("torch.Tensor.to", "x.to('cpu', non_blocking=True)"),
    _none("torch.Tensor.to", "pinned.to(device, non_blocking=True)"),
    _none("torch.Tensor.to", "x.to(device)"),
    _none("torch.Tensor.half", "x.half()"),
    _none("torch.zeros", "(torch.zeros(3, device=device), torch.full((3,), 2.0, device=device))"),
    _none("torch.Tensor.__add__", "(x + 1.0, x + torch.tensor(1.0), x ** y, torch.clamp(x, y, y), x.fill_(y))"),
    _none("torch._assert_async", "torch._assert_async(x.min() >= 0)"),
    _none("torch.nn.functional.cross_entropy", "F.cross_entropy(m, ind4, ignore_index=0)"),
    _none("torch.nn.functional.cross_entropy", "F.cross_entropy(m, ind4, label_smoothing=0.1)", Source.BINARY),
    _none("torch.Tensor.backward", "s.backward()", given="s = net(x).sum()"),
    _none("torch.max.backward", "s.backward()", Source.BINARY, "s = p.max(0).values"),
    _none("torch.std.backward", "s.backward()", Source.BINARY, "s = p.std()"),
    _none("torch.nn.utils.clip_grad_norm_", "clip_(grads(net), 1.0)"),
    _none("torch.nn.BatchNorm1d", "norm(m)", given="norm = nn.BatchNorm1d(4).to(device)"),
    _none("torch.nn.LSTM", "lstm(m)", given="lstm = nn.LSTM(4, 4).to(device)"),
    _none("torch.amp.GradScaler.update", "s.update()", given="s, o = scaled(net); s.step(o)"),
    _none("torch.optim.lr_scheduler.ReduceLROnPlateau.step", "plateau(net).step(0.5)"),
    _none("torch.cuda.Event.record", "torch.cuda.Event().record()"),
    _none("torch.cuda.memory_allocated", "torch.cuda.memory_allocated()"),
    *(
        _none(f"torch.optim.{name}.step", "o.step()", given=f"o = optimizer(net, torch.optim.{name})")
        for name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam", "RAdam", "Adadelta", "Rprop")
    ),
)


def _open(call: str, example: str) -> Fact:
    return Fact(call, example, 0, Kind.OPEN, Source.OPEN)


_UNSETTLED = (
    *(_open(f"torch.{name}", f"torch.{name}(x)") for name in ("median", "nanmedian", "mode")),
    *(
        _open(f"torch.linalg.{name}", f"torch.linalg.{name}(m)")
        for name in ("det", "slogdet", "svd", "qr", "eigvals", "pinv", "lu", "matrix_exp", "matrix_rank")
    ),
    _open("torch.Tensor.masked_scatter", "x.masked_scatter(mask, x)"),
    _open("torch.cuda.empty_cache", "torch.cuda.empty_cache()"),
)

FACTS = (*_SCALARS, *_TEXTS, *_SHAPES, *_CHECKS, *_COPIES, *_UNSEEN, *_NO_WAITS, *_UNSETTLED)
"""All facts, waits first. A call is here more than once if its arguments decide."""
READ_AS_NUMBERS = ("item", "tolist")
"""Methods of tensors that return Python's numbers."""
SIZED_BY_DATA = frozenset({"nonzero", "argwhere", "where", "masked_select", "unique", "unique_consecutive"})
"""Functions whose result has a size that data decides, whatever their other arguments are; `where`, if it has none."""
WAITING_METHODS = frozenset({
    "item", "tolist", "cpu", "numpy", "nonzero", "masked_select", "unique", "synchronize", "elapsed_time", "wait",
    "barrier", "all_reduce", "argwhere",
})  # fmt: skip
"""Methods, and functions of a module, that wait as a rule: of tensors, streams, events, and of what a collective
returns."""
WITHOUT_WORK = frozenset("eval train zero_grad detach requires_grad_ parameters manual_seed seed".split())
"""Methods of modules, optimizers, tensors and generators that give the GPU nothing to do, as of torch 2.0: since then
`zero_grad` drops the gradients."""
