"""Functions of `torch.cuda` that raise without CUDA, and those that do nothing then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

FAILING = [
    "ipc_collect()", "cudart()", "init()", "initial_seed()", "get_rng_state()", "set_per_process_memory_fraction(0.5)",
    "can_device_access_peer(0, 1)", "get_sync_debug_mode()",
]  # fmt: skip
HARMLESS = ["empty_cache()", "seed_all()", "memory_allocated()", "get_rng_state_all()", "get_arch_list()"]


@pytest.mark.parametrize("call", FAILING)
def test_what_starts_cuda_asks_for_it(program: Program, call: str) -> None:
    project = program(f"import torch\ntorch.cuda.{call}\n")

    assert project.reported("hardcoded-cuda") == [f"torch.cuda.{call}"]


@pytest.mark.parametrize("call", HARMLESS)
def test_what_does_nothing_without_cuda_asks_for_nothing(program: Program, call: str) -> None:
    project = program(f"import torch\ntorch.cuda.{call}\n")

    assert project.reported("hardcoded-cuda") == []


_GROUP = "import torch\nimport torch.distributed as dist\n\ndef setup(rank, backend):\n"
STARTING = {
    "the device, then the group": ("torch.cuda.set_device(rank)\ndist.init_process_group('nccl')", 0),
    "the group, then the device": ("dist.init_process_group('nccl')\ntorch.cuda.set_device(rank)", 0),
    "with lines between": (
        "torch.cuda.set_device(rank)\nprint(rank)\nwhere = 'env://'\ndist.init_process_group(backend='nccl', init_method=where)",
        0,
    ),
    "a tensor on the way": ("x = torch.ones(1).cuda()\ndist.init_process_group('nccl')", 0),
    "a group that runs anywhere": ("torch.cuda.set_device(rank)\ndist.init_process_group('gloo')", 1),
    "a group that the caller chooses": ("torch.cuda.set_device(rank)\ndist.init_process_group(backend)", 1),
    "a group for some": ("torch.cuda.set_device(rank)\nif rank:\n    dist.init_process_group('nccl')", 1),
    "a way out before the group": (
        "torch.cuda.set_device(rank)\nif rank < 0:\n    return\ndist.init_process_group('nccl')",
        1,
    ),
}


@pytest.mark.parametrize(("body", "reported"), STARTING.values(), ids=STARTING)
def test_who_starts_nccl_next_cannot_run_without_cuda_anyway(program: Program, body: str, reported: int) -> None:
    indented = "".join(f"    {line}\n" for line in body.split("\n"))

    project = program(f"{_GROUP}{indented}\nsetup(0, input())\n")

    assert len(project.reported("hardcoded-cuda")) == reported
