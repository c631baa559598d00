"""Functions of `torch.cuda` that fail where there is none, and those that do nothing then."""

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
