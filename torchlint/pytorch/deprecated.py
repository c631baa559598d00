"""Functions and classes that PyTorch still has, and warns of when they are called.

Each warns with torch 2.13, and its replacement exists there, which the tests check. Those of mixed precision are a rule
of their own. The release of each replacement is in the release notes, https://github.com/pytorch/pytorch/releases.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Replacement:
    """What to use in place of a name."""

    instead: str
    """The text for a message."""
    since: tuple[int, int]
    """The torch that was the first to have it."""
    same: str = ""
    """The full name of what takes the same arguments and does the same, empty if there is none."""


def _renamed(full: str, since: tuple[int, int]) -> Replacement:
    return Replacement(f"`{full}`", since, full)


_INIT = (
    "uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal sparse"
)
_RESIZED = "torch.nn.functional.interpolate"
_PEAK = "torch.cuda.reset_peak_memory_stats"

DEPRECATED: dict[str, Replacement] = {
    **{f"torch.nn.init.{name}": _renamed(f"torch.nn.init.{name}_", (0, 4)) for name in _INIT.split()},
    "torch.nn.utils.clip_grad_norm": _renamed("torch.nn.utils.clip_grad_norm_", (0, 4)),
    # The other two upsample as `nearest` does, or as `bilinear` with corners aligned.
    "torch.nn.functional.upsample": _renamed(_RESIZED, (1, 0)),
    "torch.nn.functional.upsample_nearest": _renamed(_RESIZED, (1, 0)),
    "torch.nn.functional.upsample_bilinear": Replacement(f"`{_RESIZED}` with `align_corners=True`", (1, 0)),
    "torch.nn.NLLLoss2d": _renamed("torch.nn.NLLLoss", (0, 4)),
    "torch.nn.Container": Replacement("`torch.nn.Module`", (0, 4)),
    "torch.nn.parallel.DistributedDataParallelCPU": Replacement("`torch.nn.parallel.DistributedDataParallel`", (1, 2)),
    # It reads the state dicts of the other one: https://github.com/pytorch/pytorch/pull/103001
    "torch.nn.utils.weight_norm": Replacement("`torch.nn.utils.parametrizations.weight_norm`", (2, 1)),
    "torch.nn.utils.stateless.functional_call": _renamed("torch.func.functional_call", (2, 0)),
    "torch.backends.cuda.sdp_kernel": Replacement("`torch.nn.attention.sdpa_kernel`", (2, 3)),
    "torch.cuda.memory_cached": _renamed("torch.cuda.memory_reserved", (1, 4)),
    "torch.cuda.max_memory_cached": _renamed("torch.cuda.max_memory_reserved", (1, 4)),
    "torch.cuda.reset_max_memory_allocated": _renamed(_PEAK, (1, 4)),
    "torch.cuda.reset_max_memory_cached": _renamed(_PEAK, (1, 4)),
    "torch.range": Replacement("`torch.arange`, which leaves the end out", (0, 4)),
    "torch.qr": Replacement("`torch.linalg.qr`", (1, 8)),
    "torch.cholesky": Replacement("`torch.linalg.cholesky`", (1, 8)),
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
"""What replaces a name, by its full name."""
