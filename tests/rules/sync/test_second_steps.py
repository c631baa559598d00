"""What is on the GPU in the first step alone makes nothing wait in every step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "host-copy-in-training-loop"
CODE = """\
import torch
from torch import nn
def train(env, first, kept, device):
    model = nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters())
    state = {start}
    {loop}:
        optimizer.zero_grad()
        loss = model(torch.ones(2, 4, device=device)).sum()
        loss.backward()
        optimizer.step()
        following = {following}
        kept.append(state.detach().cpu())
        {end}
train(make(), array(), [], torch.device("cuda"))
"""
MOVED = "torch.from_numpy(first).to(device)"
OBSERVED = "torch.from_numpy(env.step()).float()"
LOOPS = ["for _ in range(9)", "while env.goes_on()", "while True"]


@pytest.mark.parametrize("loop", LOOPS)
def test_what_the_step_before_left_on_the_host_waits_for_nothing(program: Program, loop: str) -> None:
    code = CODE.format(start=MOVED, loop=loop, following=OBSERVED, end="state = following")
    assert program(code).reported(RULE) == []


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(
    ("start", "following", "end"),
    [
        (MOVED, OBSERVED, "pass"),
        (MOVED, OBSERVED + ".to(device)", "state = following"),
        (MOVED, OBSERVED, "state = following.to(device)"),
        (OBSERVED, OBSERVED, "state = following.to(device)"),
        # Most steps may go on with the state of the first.
        (MOVED, OBSERVED, "\n        if env.is_new():\n            state = following"),
    ],
)
def test_what_is_on_the_gpu_in_later_steps_is_waited_for(
    program: Program, loop: str, start: str, following: str, end: str
) -> None:
    code = CODE.format(start=start, loop=loop, following=following, end=end)
    assert len(program(code).reported(RULE)) == 1


def test_a_loop_within_the_step_has_the_tensor_on_the_gpu_once_in_each_step(program: Program) -> None:
    parts = "\n        ".join(
        [f"state = {MOVED}", "for _ in range(4):", "    kept.append(state.cpu())", "    state = torch.zeros(2)"]
    )
    code = CODE.format(start=MOVED, loop=LOOPS[0], following=OBSERVED, end=parts)
    assert len(program(code.replace("state.detach().cpu()", "1")).reported(RULE)) == 1
