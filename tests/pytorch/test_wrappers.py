"""What wrappers do to the keys of the state dict, against PyTorch's own."""

from __future__ import annotations

import pytest

from torchlint.pytorch.symbols import COMPILED, DATA_PARALLEL, DISTRIBUTED, SHARDED
from torchlint.pytorch.wrappers import WRAPPERS

torch = pytest.importorskip("torch", reason="the wrappers are PyTorch's")


@pytest.mark.parametrize("name", [name for name, row in WRAPPERS.items() if row.source.startswith("torch ")])
def test_the_prefix_and_the_attribute_are_those_of_the_wrapper(name: str, process_group: None) -> None:
    from torch.distributed.fsdp import FullyShardedDataParallel

    wrapping = {
        DATA_PARALLEL: torch.nn.DataParallel,
        DISTRIBUTED: torch.nn.parallel.DistributedDataParallel,
        SHARDED: lambda module: FullyShardedDataParallel(module, device_id=torch.device("cpu")),
        COMPILED: torch.compile,
    }
    module, row = torch.nn.Sequential(torch.nn.Linear(2, 2)), WRAPPERS[name]

    wrapped = wrapping[name](module)

    assert set(wrapped.state_dict()) == {f"{row.prefix}0.weight", f"{row.prefix}0.bias"}
    assert isinstance(getattr(wrapped, row.attribute), torch.nn.Sequential)
