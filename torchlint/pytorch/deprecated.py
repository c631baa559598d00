"""Functions and classes that PyTorch still has, and deprecates, with what replaces them.

Which names these are, since when, and what PyTorch itself names as the replacement is in `marked.py`, generated from
its sources. What is written here is what they do not say: replacements that take the same arguments, and advice. Each
name exists in torch 2.13 and so does its replacement, which the tests check. Those of mixed precision are a rule of
their own. The release of each replacement is in the release notes, https://github.com/pytorch/pytorch/releases.
"""

from __future__ import annotations

import re

from torchlint.pytorch.companions import COMPANIONS
from torchlint.pytorch.kinds import Replacement, replaced
from torchlint.pytorch.marked import MARKED

_INIT = (
    "uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal sparse"
)
_RESIZED = "torch.nn.functional.interpolate"
_PEAK = "torch.cuda.reset_peak_memory_stats"

_FUNC_SINCE = (2, 0)
# https://docs.pytorch.org/docs/stable/func.migrating.html
_FUNCTORCH = "grad grad_and_value vjp jvp jacrev jacfwd hessian functionalize vmap"
_FUNCTIONAL = Replacement("`torch.func.functional_call`", _FUNC_SINCE)
_QUANTIZED = Replacement("the package `torchao`", (2, 8))
# https://docs.pytorch.org/docs/stable/jit.html
_COMPILED = "`torch.compile`, or `torch.export` to deploy a model"
_JIT_SINCE = (2, 5)

_WRITTEN: dict[str, Replacement] = {
    **{f"functorch.{name}": replaced(f"torch.func.{name}", _FUNC_SINCE) for name in _FUNCTORCH.split()},
    "functorch.make_functional": _FUNCTIONAL,
    "functorch.make_functional_with_buffers": _FUNCTIONAL,
    "functorch.combine_state_for_ensemble": Replacement("`torch.func.stack_module_state`", _FUNC_SINCE),
    **{
        f"torch.utils._pytree.{old}": replaced(f"torch.utils._pytree.{new}", since)
        for old, new, since in (
            ("_register_pytree_node", "register_pytree_node", (2, 2)),
            ("_is_leaf", "tree_is_leaf", (2, 8)),
            ("_is_namedtuple_instance", "is_namedtuple_instance", (2, 8)),
        )
    },
    "torch.multiprocessing.SpawnContext": replaced("torch.multiprocessing.ProcessContext", (1, 4)),
    **{
        f"torch.jit.{name}": Replacement(_COMPILED, _JIT_SINCE)
        for name in "script trace trace_module script_method freeze optimize_for_inference fork wait interface".split()
    },
    "torch.jit.save": Replacement("`torch.export.save`", _JIT_SINCE),
    "torch.jit.load": Replacement("`torch.export.load`", _JIT_SINCE),
    **{
        f"torch.{package}.{name}": _QUANTIZED
        for package in ("ao.quantization", "quantization")
        for name in "convert prepare prepare_qat quantize quantize_dynamic quantize_qat".split()
    },
    **{
        f"torch.ao.quantization.quantize_fx.{name}": _QUANTIZED
        for name in "convert_fx prepare_fx prepare_qat_fx".split()
    },
    "torch.norm": Replacement("`torch.linalg.vector_norm` or `torch.linalg.matrix_norm`", (1, 9)),
    "torch.svd": Replacement("`torch.linalg.svd`, which returns `Vh` for `V`", (1, 8)),
    "torch.lu_solve": Replacement("`torch.linalg.lu_solve`, which takes the right-hand side last", (1, 13)),
    "torch.nn.UpsamplingNearest2d": Replacement("`torch.nn.Upsample`", (0, 4)),
    "torch.nn.UpsamplingBilinear2d": Replacement("`torch.nn.Upsample` with `align_corners=True`", (0, 4)),
    **{f"torch.nn.init.{name}": replaced(f"torch.nn.init.{name}_", (0, 4)) for name in _INIT.split()},
    "torch.nn.utils.clip_grad_norm": replaced("torch.nn.utils.clip_grad_norm_", (0, 4)),
    # The other two upsample as `nearest` does, or as `bilinear` with corners aligned.
    "torch.nn.functional.upsample": replaced(_RESIZED, (1, 0)),
    "torch.nn.functional.upsample_nearest": replaced(_RESIZED, (1, 0)),
    "torch.nn.functional.upsample_bilinear": Replacement(f"`{_RESIZED}` with `align_corners=True`", (1, 0)),
    "torch.nn.NLLLoss2d": replaced("torch.nn.NLLLoss", (0, 4)),
    "torch.nn.Container": Replacement("`torch.nn.Module`", (0, 4)),
    "torch.nn.parallel.DistributedDataParallelCPU": Replacement("`torch.nn.parallel.DistributedDataParallel`", (1, 2)),
    # It reads the state dicts of the other one: https://github.com/pytorch/pytorch/pull/103001
    "torch.nn.utils.weight_norm": Replacement("`torch.nn.utils.parametrizations.weight_norm`", (2, 1)),
    "torch.nn.utils.stateless.functional_call": replaced("torch.func.functional_call", (2, 0)),
    "torch.backends.cuda.sdp_kernel": Replacement("`torch.nn.attention.sdpa_kernel`", (2, 3)),
    "torch.cuda.memory_cached": replaced("torch.cuda.memory_reserved", (1, 4)),
    "torch.cuda.max_memory_cached": replaced("torch.cuda.max_memory_reserved", (1, 4)),
    "torch.cuda.reset_max_memory_allocated": replaced(_PEAK, (1, 4)),
    "torch.cuda.reset_max_memory_cached": replaced(_PEAK, (1, 4)),
    "torch.range": Replacement("`torch.arange`, which leaves the end out", (0, 4)),
    "torch.ger": replaced("torch.outer", (1, 7)),
    "torch.chain_matmul": Replacement("`torch.linalg.multi_dot`, which takes a list", (1, 8)),
    "torch.lu": Replacement("`torch.linalg.lu_factor`", (1, 11)),
    "torch.triangular_solve": Replacement("`torch.linalg.solve_triangular`, which takes the matrix first", (1, 11)),
    # https://docs.pytorch.org/docs/stable/generated/torch.set_default_tensor_type.html
    "torch.set_default_tensor_type": Replacement("`torch.set_default_dtype` and `torch.set_default_device`", (2, 1)),
    "torch.testing.assert_allclose": Replacement("`torch.testing.assert_close`", (1, 9)),
    # https://github.com/pytorch/pytorch/pull/123937: what the first takes by keyword, the second does by position
    # alone.
    "torch.library.impl_abstract": Replacement("`torch.library.register_fake`", (2, 4)),
    # https://github.com/pytorch/pytorch/pull/113867
    "torch.distributed.checkpoint.save_state_dict": Replacement("`torch.distributed.checkpoint.save`", (2, 2)),
    "torch.distributed.checkpoint.load_state_dict": Replacement("`torch.distributed.checkpoint.load`", (2, 2)),
}

# Mixed precision has a rule of its own.
_AMP = re.compile(r"torch\.(cuda|cpu)\.amp\.")


def _generated() -> dict[str, Replacement]:
    """Return what PyTorch's own sources name as a replacement, for what they mark and still have."""
    return {
        name: Replacement(f"`{row.instead}`", row.instead_since)
        for name, row in MARKED.items()
        if row.since is not None and row.gone is None and row.instead_since is not None and not _AMP.match(name)
    }


_OF_COMPANIONS = {name: row for companion in COMPANIONS for name, row in companion.deprecated.items()}
DEPRECATED = {**_generated(), **_WRITTEN, **_OF_COMPANIONS}
"""What replaces a name, by its full name."""

READ = {"torch.distributed.reduce_op": replaced("torch.distributed.ReduceOp", (1, 0))}
"""What replaces an object that warns where an attribute of it is read."""
