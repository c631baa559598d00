"""What PyTorch says where a backend finds no GPU."""

from __future__ import annotations

import pytest

from torchlint.pytorch.backends import GPU_BACKENDS

torch = pytest.importorskip("torch")


@pytest.mark.skipif(torch.cuda.is_available(), reason="it is about machines without a GPU")
@pytest.mark.parametrize("backend", sorted(GPU_BACKENDS))
def test_a_backend_for_gpus_refuses_a_machine_that_has_none(backend: str) -> None:
    with pytest.raises((RuntimeError, ValueError), match="NCCL"):
        torch.distributed.init_process_group(backend, store=torch.distributed.HashStore(), rank=0, world_size=1)
