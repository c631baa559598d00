"""Arguments of PyTorch and of Python that take a number: a tensor on the GPU is read there, as `.item()` reads it.

Each example waits once or more on a GPU, and not at all with a number in the place of `y` or `i`; checked on the
simulated GPU of torch 2.13. `x`, `y`, `i` and the other names are those of `waits`.
"""

from __future__ import annotations

from typing import NamedTuple


class NumberArgument(NamedTuple):
    """An argument that is read as a number, of functions and of the methods of tensors with the same name."""

    names: frozenset[str]
    keyword: str
    position: int | None
    """Its position in the function; in a method, whose tensor is the receiver, one less. None for a keyword only."""
    example: str
    is_first: bool = False
    """Whether all following ones count too, and the items of a tuple: `x.view(n, -1)`, `torch.zeros((n, 2))`."""


def _row(names: str, keyword: str, position: int | None, example: str, *, is_first: bool = False) -> NumberArgument:
    return NumberArgument(frozenset(names.split()), keyword, position, example, is_first)


NUMBER_ARGUMENTS = (
    _row("add sub rsub add_ sub_", "alpha", None, "x.sub(x, alpha=y)"),
    _row("index_add index_add_", "alpha", None, "x.index_add(0, ind, x[:3], alpha=y)"),
    _row("addmm addmv baddbmm addmm_ addmv_ baddbmm_", "alpha", None, "torch.addmm(m, m, m, alpha=y)"),
    _row("addmm addmv baddbmm addmm_ addmv_ baddbmm_", "beta", None, "torch.addmm(m, m, m, beta=y)"),
    _row("addcmul addcdiv addcmul_ addcdiv_", "value", None, "x.addcmul(x, x, value=y)"),
    _row("masked_fill masked_fill_", "value", 2, "x.masked_fill(mask, y)"),
    _row("index_fill index_fill_", "value", 3, "x.index_fill(0, ind, y)"),
    _row("full full_like", "fill_value", 1, "torch.full((3,), y, device=device)"),
    _row("new_full", "fill_value", 2, "x.new_full((3,), y)"),
    _row("nan_to_num", "nan", 1, "torch.nan_to_num(x, nan=y)"),
    _row("pad", "value", 3, "F.pad(x, (1, 1), value=y)"),
    _row("range", "start", 0, "range(0, i)", is_first=True),
    _row("arange", "start", 0, "torch.arange(0, i, device=device)", is_first=True),
    _row("linspace", "start", 0, "torch.linspace(y, 1.0, 5, device=device)"),
    _row("linspace", "end", 1, "torch.linspace(0.0, y, 5, device=device)"),
    _row("zeros ones empty rand randn", "size", 0, "torch.zeros((i,), device=device)", is_first=True),
    _row("randint", "low", 0, "torch.randint(0, i, (3,), device=device)"),
    _row("randint", "high", 1, "torch.randint(0, i, (3,), device=device)"),
    _row("randperm eye", "n", 0, "torch.randperm(i, device=device)"),
    _row("new_zeros new_ones new_empty", "size", 1, "x.new_zeros(i)", is_first=True),
    _row("view reshape expand repeat tile", "size", 1, "x.view(i, -1)", is_first=True),
    _row("narrow", "start", 2, "x.narrow(0, i, 1)"),
    _row("narrow", "length", 3, "x.narrow(0, 0, i)"),
    _row("select", "index", 2, "x.select(0, i)"),
    _row("split", "split_size", 1, "x.split(i)"),
    _row("chunk", "chunks", 1, "x.chunk(i)"),
    _row("topk kthvalue", "k", 1, "x.topk(i)"),
    _row("roll", "shifts", 1, "torch.roll(x, i)"),
    _row("unfold", "size", 2, "x.unfold(0, i, 1)"),
    _row("triu tril", "diagonal", 1, "torch.triu(m, diagonal=i)"),
    _row("normal_ uniform_", "from", 1, "x.clone().uniform_(0.0, y)", is_first=True),
    _row("exponential_", "lambd", 1, "x.clone().exponential_(y)"),
    _row("dropout", "p", 1, "F.dropout(x, y)"),
    _row("leaky_relu", "negative_slope", 1, "F.leaky_relu(x, y)"),
    _row("elu", "alpha", 1, "F.elu(x, alpha=y)"),
    _row("cross_entropy", "label_smoothing", None, "F.cross_entropy(m, ind4, label_smoothing=y)"),
    _row("huber_loss", "delta", None, "F.huber_loss(x, x, delta=y)"),
    _row("smooth_l1_loss", "beta", None, "F.smooth_l1_loss(x, x, beta=y)"),
    _row("margin_ranking_loss triplet_margin_loss", "margin", 3, "F.margin_ranking_loss(x, x, x, margin=y)"),
    _row("scaled_dot_product_attention", "scale", None, "F.scaled_dot_product_attention(m, m, m, scale=y)"),
    _row("interpolate", "size", 1, "F.interpolate(m[None, None], size=i)"),
    _row("clip_grad_norm_", "max_norm", 1, "clip_(grads(net), y)"),
    _row("clip_grad_value_", "clip_value", 1, "nn.utils.clip_grad_value_(grads(net), y)"),
)


class SavingArgument(NamedTuple):
    """An argument without which, or with which, a call reads a number from the GPU; `input` is the tensor it reads."""

    name: str
    input: str
    position: int
    keyword: str
    keyword_position: int
    example: str
    saving: str
    """The example with the argument that avoids the read."""


SAVING_ARGUMENTS = (
    SavingArgument(
        "repeat_interleave",
        "repeats",
        1,
        "output_size",
        3,
        "torch.repeat_interleave(x, ind8)",
        "torch.repeat_interleave(x, ind8, output_size=16)",
    ),
    SavingArgument("one_hot", "tensor", 0, "num_classes", 1, "F.one_hot(ind)", "F.one_hot(ind, 8)"),
)
SPACES = ("builtins", "torch", "torch.nn.functional", "torch.nn.utils", "torch.nn.attention")
"""Where these functions are."""
