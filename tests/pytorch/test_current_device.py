"""What sets the current GPU, against PyTorch itself on pretend ones."""

from __future__ import annotations

from operator import attrgetter

import pytest

from torchlint.pytorch.current_device import CURRENT_FOR_BLOCK, CURRENT_FROM_HERE, FIRST_GPU
from torchlint.verify import simulated_cuda

torch = pytest.importorskip("torch", reason="the current device is PyTorch's")


@pytest.mark.parametrize("name", sorted(CURRENT_FROM_HERE))
def test_a_call_sets_it_for_what_follows(name: str) -> None:
    with simulated_cuda(gpus=2):
        before = torch.ones(1, device="cuda").device.index
        attrgetter(name.removeprefix("torch."))(torch)(1)

        assert (before, torch.ones(1, device="cuda").device.index) == (FIRST_GPU, 1)


# The pretend GPUs know no `torch.accelerator.device_index`.
@pytest.mark.parametrize("name", sorted(name for name in CURRENT_FOR_BLOCK if name.startswith("torch.cuda.")))
def test_a_block_sets_it_up_to_its_end(name: str) -> None:
    with simulated_cuda(gpus=2):
        given = {
            "torch.cuda.device_of": lambda: torch.ones(1, device="cuda:1"),
            "torch.cuda.stream": lambda: torch.cuda.Stream(device=1),
        }.get(name, lambda: 1)()
        with attrgetter(name.removeprefix("torch."))(torch)(given):
            inside = torch.ones(1, device="cuda").device.index

        assert (inside, torch.ones(1, device="cuda").device.index) == (1, FIRST_GPU)
