"""Which calls of wrapped modules communicate, against PyTorch's own wrappers."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from torchlint.pytorch.wrapped_calls import BUFFER_FLAGS, COMMUNICATING_METHODS, OWN_GROUPS, UNSHARDED

torch = pytest.importorskip("torch", reason="the wrappers are PyTorch's")


@pytest.mark.parametrize(
    ("layers", "flags", "expected"),
    [
        (("Linear", "BatchNorm1d"), {}, True),
        (("Linear", "BatchNorm1d"), {"broadcast_buffers": False}, False),
        (("Linear",), {}, False),
    ],
)
def test_each_forward_pass_broadcasts_buffers_if_there_are_any(
    layers: tuple[str, ...], flags: dict[str, Any], expected: bool, process_group: None
) -> None:
    module = torch.nn.Sequential(*(getattr(torch.nn, name)(*((2, 2) if name == "Linear" else (2,))) for name in layers))
    wrapped = torch.nn.parallel.DistributedDataParallel(module, **flags)

    wrapped.eval()
    with torch.no_grad():
        assert bool(wrapped._check_sync_bufs_pre_fwd()) is expected


def test_the_names_are_those_of_the_wrappers() -> None:
    from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy, StateDictType

    named = {
        word
        for wrapper in (torch.nn.parallel.DistributedDataParallel, FullyShardedDataParallel)
        for word in inspect.signature(wrapper.__init__).parameters
    }

    assert (BUFFER_FLAGS | OWN_GROUPS) - {"forward_sync_buffers"} <= named
    assert all(callable(getattr(FullyShardedDataParallel, name)) for name in COMMUNICATING_METHODS)
    assert {StateDictType.LOCAL_STATE_DICT.name, ShardingStrategy.NO_SHARD.name} == UNSHARDED
