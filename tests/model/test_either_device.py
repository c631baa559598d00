"""Tests that let the host by as well as CUDA, and those that tell the two apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
MOVING = """
import torch
from torch import nn

KNOWN = ("cpu", "cuda")


def move(batch, device):
    TEST
    return batch.to(device)


def move_all(batch):
    return move(batch, "cuda")


move_all(torch.zeros(2))
"""
LETTING_BOTH_BY = (
    'assert device in ["cpu", "cuda"]',
    'assert device in {"mps", "cuda", "cpu"}',
    "assert device in KNOWN",
    'assert not device not in ("cpu", "cuda")',
    'assert device == "cpu" or device == "cuda"',
    'assert device == "cpu" or device.startswith("cuda")',
    'assert device == "cpu" or "cuda" in device',
    'assert device is None or device in ("cpu", "cuda")',
    'if device not in ("cpu", "cuda"): raise ValueError(device)',
    'if device != "cpu" and device != "cuda": raise ValueError(device)',
    "if device not in KNOWN: return batch",
)
LETTING_CUDA_BY = (
    'assert device in ["cuda", "cuda:0"]',
    'assert device == "cuda"',
    'assert device in ("cpu", "cuda") and device == "cuda"',
    'assert batch.name == "cpu" or device == "cuda"',
    'if device == "cpu": return batch\n    assert device in ("cpu", "cuda") and device != "cpu" and "cuda" in device',
)


@pytest.mark.parametrize("test", LETTING_BOTH_BY)
def test_which_devices_are_known_at_all_keeps_no_machine_away(program: Program, test: str) -> None:
    assert program(MOVING.replace("TEST", test)).reported("hardcoded-cuda") == ['return move(batch, "cuda")']


@pytest.mark.parametrize("test", LETTING_CUDA_BY)
def test_that_it_is_cuda_was_chosen_elsewhere(program: Program, test: str) -> None:
    assert program(MOVING.replace("TEST", test)).reported("hardcoded-cuda") == []


@pytest.mark.parametrize(("test", "is_guarded"), [('device in ("cpu", "cuda")', False), ('device == "cuda"', True)])
def test_behind_a_test_that_lets_the_host_by_cuda_is_asked_for_on_any_machine(
    program: Program, test: str, *, is_guarded: bool
) -> None:
    checkout = program(f"""
        import torch
        from settings import device
        if {test}:
            torch.zeros(2).cuda()
        """)

    assert bool(checkout.findings("hardcoded-cuda")) is not is_guarded
