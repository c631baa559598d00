"""Flags that say whether a program runs on CUDA: what is for other devices waits for no GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.steps.programs import HEAD, reads_every_step

Program: TypeAlias = Callable[[str], Checkout]

_STEP = """
def train(self, cfg, use_cuda, no_gpu):
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        if {test}:
            loss.item()
"""


@pytest.mark.parametrize(
    "test", ["not use_cuda", "not self.isCuda", "not cfg.gpu", "no_gpu", "cfg.cpu", "cfg.use_cpu", "not self.use_gpu"]
)
def test_what_is_for_the_host_alone_runs_at_no_step_of_a_gpu(program: Program, test: str) -> None:
    assert not reads_every_step(program(HEAD + _STEP.format(test=test)))


@pytest.mark.parametrize(
    "test", ["use_cuda", "self.isCuda", "not no_gpu", "not cfg.cpu", "cfg.gpu_ids", "not cfg.gpu_id", "not self.fast"]
)
def test_what_is_for_the_gpu_or_says_something_else_does(program: Program, test: str) -> None:
    assert reads_every_step(program(HEAD + _STEP.format(test=test)))
